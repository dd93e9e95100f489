// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Testing

@Suite("What a process holds on to")
struct WorkingSetTests {
    /// Kilobytes of files that are resident.
    private static var files: Int {
        let line = (TextFile.read("/proc/self/status") ?? "").split(separator: "\n").first { $0.hasPrefix("RssFile:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    @Test("Code and constants are let go, come back when they are needed, and none of it is lost")
    func trim() throws {
        let code = try #require(TextFile.bytes(of: "/proc/self/exe", limit: 1 << 16))
        let before = Self.files
        WorkingSet.trim()
        #expect(Self.files < before)
        // Witness tables, metadata and constants are among what the dynamic linker wrote to.
        #expect(TextFile.bytes(of: "/proc/self/exe", limit: 1 << 16) == code)
        #expect([3, 1, 2].map { "\($0)" }.sorted() == ["1", "2", "3"])
    }
}
