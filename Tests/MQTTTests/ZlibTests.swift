// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CZlib
import MQTT
import TestSupport
import Testing

@Suite("Compression")
struct ZlibTests {
    /// Expands `bytes` to `count` bytes with zlib itself, as a subscriber does.
    private static func expanded(_ bytes: [UInt8], _ count: Int) -> [UInt8]? {
        var result = [UInt8](repeating: 0, count: count + 1)
        var length = uLongf(result.count)
        guard unsafe uncompress(&result, &length, bytes, uLong(bytes.count)) == Z_OK else { return nil }
        return Array(result.prefix(Int(length)))
    }

    @Test("zlib itself expands compressed bytes to the original", arguments: 0..<20)
    func same(seed: UInt64) throws {
        var numbers = SeededNumbers(seed)
        let letters = UInt8.random(in: 0...255, using: &numbers)
        let bytes = (0..<(Int(seed) * 1500)).map { _ in UInt8.random(in: 0...letters, using: &numbers) }
        let compressed = try #require(Zlib.compressed(bytes))
        #expect(Self.expanded(compressed, bytes.count) == bytes)
        var damaged = compressed
        damaged[damaged.count - 1] ^= 1
        #expect(Self.expanded(damaged, bytes.count) == nil)
    }

    @Test("Compressed bytes expand to the original, unless damaged or over the limit", arguments: [1, 100, 200_000])
    func back(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 1000) }
        let compressed = try #require(Zlib.compressed(bytes))
        #expect(Zlib.expanded(compressed, limit: count) == bytes)
        #expect(Zlib.expanded(compressed, limit: count - 1) == nil)
        #expect(Zlib.expanded(Array(compressed.dropLast()), limit: 1 << 20) == nil)
        var damaged = compressed
        damaged[damaged.count - 1] ^= 1
        #expect(Zlib.expanded(damaged, limit: 1 << 20) == nil)
        #expect(Zlib.expanded([], limit: 1 << 20) == nil)
    }

    @Test("Repetitive bytes become small")
    func small() throws {
        let bytes = (0..<10_000).map { UInt8($0 % 10) }
        #expect(try #require(Zlib.compressed(bytes)).count < 100)
    }
}
