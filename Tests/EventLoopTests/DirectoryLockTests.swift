// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("The lock of a directory")
struct DirectoryLockTests {
    @Test("A second lock fails with the holder, until the first is released")
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

    @Test("A path without a directory returns no lock")
    func none() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("", to: "file")
        for path in [file, "\(directory.path)/none", ""] { #expect(try DirectoryLock.acquire(path) == nil) }
    }
}
