// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Testing

@Suite("The working set")
struct WorkingSetTests {
    /// The resident memory of mapped files, in kilobytes.
    private static var files: Int {
        let line = (TextFile.read("/proc/self/status") ?? "").split(separator: "\n").first { $0.hasPrefix("RssFile:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    @Test("Released code and constants return when they are needed, and none are lost")
    func trim() throws {
        let code = try #require(TextFile.bytes(of: "/proc/self/exe", limit: 1 << 16))
        let before = Self.files
        WorkingSet.trim()
        #expect(Self.files < before)
        // The dynamic linker has written witness tables, metadata and constants.
        #expect(TextFile.bytes(of: "/proc/self/exe", limit: 1 << 16) == code)
        #expect([3, 1, 2].map { "\($0)" }.sorted() == ["1", "2", "3"])
    }
}
