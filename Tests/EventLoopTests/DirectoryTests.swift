// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("Directories")
struct DirectoryTests {
    @Test("Missing folders are made for their owner only, and one that exists is left as it is")
    func make() throws {
        let root = try TemporaryDirectory()
        let path = root.path + "/a//b/"
        #expect(Directory.make(path) == nil && TextFile.isDirectory(root.path + "/a/b"))
        for folder in ["/a", "/a/b"] {
            var status = stat()
            #expect(unsafe stat(root.path + folder, &status) == 0 && status.st_mode & 0o777 == 0o700)
        }
        #expect(unsafe chmod(root.path + "/a", 0o755) == 0)
        #expect(Directory.make(root.path + "/a") == nil)
        var status = stat()
        #expect(unsafe stat(root.path + "/a", &status) == 0 && status.st_mode & 0o777 == 0o755)
    }

    @Test("A file in the way is a reason")
    func file() throws {
        let root = try TemporaryDirectory()
        let file = try root.write("", to: "file")
        #expect(Directory.make(file) != nil)
        #expect(Directory.make(file + "/a/b") == "Not a directory")
    }

    @Test("The nearest path that exists is found")
    func existingParent() throws {
        let root = try TemporaryDirectory()
        #expect(Directory.existingParent(of: root.path + "/a/b/") == root.path)
        let file = try root.write("", to: "file")
        #expect(Directory.existingParent(of: file + "/a/b") == file)
        #expect(Directory.existingParent(of: "/nowhere/a") == "/")
        #expect(Directory.existingParent(of: "nowhere") == ".")
    }
}
