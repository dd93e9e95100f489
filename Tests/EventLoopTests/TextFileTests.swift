// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("Files in a directory to which other users may write")
struct TextFileTests {
    @Test("A regular file is read up to the limit; links, pipes and directories are not read", .timeLimit(.minutes(1)))
    func kinds() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        try directory.write("secret", to: "file")
        unsafe symlink("\(path)/file", "\(path)/link")
        unsafe mkfifo("\(path)/pipe", 0o600)
        unsafe mkdir("\(path)/directory", 0o700)
        #expect(TextFile.bytes(of: "file", in: path, limit: 3) == Array("sec".utf8))
        for name in ["link", "pipe", "directory", "none"] {
            #expect(TextFile.bytes(of: name, in: path, limit: 100) == nil, "\(name)")
        }
        #expect(TextFile.bytes(of: "file", in: "\(path)/none", limit: 100) == nil)
    }
}
