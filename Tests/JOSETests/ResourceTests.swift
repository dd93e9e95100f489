// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CLinux
import Glibc
import JOSE
import TestSupport
import Testing

@Suite("Memory and threads")
struct ResourceTests {
    @Test("10,000 verifications, refusals, keys and signatures leak no memory")
    func leaks() async {
        await #expect(processExitsWith: .success) {
            let signer = try Signer()
            let text = Array(try signer.sign("{}").utf8)
            let other = try Signer()
            let inside = compact(
                Array(#"{"alg":"ES256","kid":"alice","a":"\u0000"}"#.utf8),
                [1],
                [UInt8](repeating: 1, count: 64)
            )
            let noPoint = signer.key.publicKey.json.with(
                "x",
                .string(Base64URL.encode([UInt8](repeating: 1, count: 32)))
            )
            var held: [UInt] = []
            let before = try await OwnResources.settled()
            // The first rounds allocate memory that is kept: OpenSSL's tables, Swift's metadata.
            for _ in 0..<6 {
                for number in 0..<2000 {
                    guard signer.refusal(text) == nil, other.refusal(text) == .signature else { exit(1) }
                    _ = try CompactJWS.sign([1], with: signer.key)
                    guard number % 20 == 0 else { continue }
                    guard signer.refusal(inside) != nil, (try? keySet([noPoint])) == nil else { exit(2) }
                    guard try JSONWebKey(parsing: Array(signer.key.json.text.utf8)) == signer.key else { exit(3) }
                    _ = try JSONWebKey.generate()
                }
                held.append(UInt(mallinfo2().uordblks) + UInt(mallinfo2().hblkhd))
            }
            // The check uses allocated memory, because resident memory also depends on other programs. A leak of
            // 16 bytes in each round would add up to 160 KiB.
            #expect(held[5] < held[0] + 64 * 1024, "bytes: \(held)")
            // Dispatch may open some descriptors for itself at any time. A leak would be thousands.
            #expect(OwnResources.now.descriptors < before.descriptors + 16)
        }
    }

    @Test("Many tasks can verify with one set at the same time")
    func concurrent() async throws {
        let signer = try Signer()
        let good = Array(try signer.sign("{}").utf8)
        let bad = Array(try Signer().sign("{}").utf8)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var count = 0
                    for _ in 0..<100 {
                        if signer.refusal(good) == nil { count += 1 }
                        if signer.refusal(bad) == .signature { count += 1 }
                        let key = try JSONWebKey.generate()
                        let own = try CompactJWS(parsing: Array(CompactJWS.sign([1], with: key).utf8))
                        if try own.verify(with: key).payload == [1] { count += 1 }
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(count == 8 * 100 * 3)
    }
}
