// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("A directory for one process")
struct DirectoryLockTests {
    @Test("Who has it is named to the next, until it lets go")
    func exclusive() throws {
        let directory = try TemporaryDirectory()
        var lock = try DirectoryLock.acquire(directory.path)
        #expect(lock != nil)
        let refusal = #expect(throws: DirectoryLock.InUse.self) { _ = try DirectoryLock.acquire(directory.path) }
        #expect(refusal?.path == directory.path && refusal?.holder == getpid())
        #expect(refusal?.description.hasPrefix("\(directory.path) is in use by process \(getpid()) (") == true)
        lock = nil
        lock = try DirectoryLock.acquire(directory.path)
        #expect(lock != nil)
    }

    @Test("Where there is no directory there is nothing to have")
    func none() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("", to: "file")
        for path in [file, "\(directory.path)/none", ""] { #expect(try DirectoryLock.acquire(path) == nil) }
    }
}
