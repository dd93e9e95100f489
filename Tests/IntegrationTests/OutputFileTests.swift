// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("Files of results")
struct OutputFileTests {
    private static func mode(of path: String) -> mode_t? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    private static func write(_ text: String, to path: String, replacing: Bool = true) throws {
        let file = try OutputFile(path, replacing: replacing, isPublic: true)
        try file.write(text)
        try file.close()
    }

    @Test("A link is written through, and its file keeps its mode")
    func link() throws {
        let directory = try TemporaryDirectory()
        let target = try directory.write("old", to: "target.toml")
        let link = directory.path + "/link.toml"
        #expect(unsafe symlink("target.toml", link) == 0)
        try Self.write("new", to: link)
        #expect(Self.isLink(link) && !Self.isLink(target))
        #expect(TextFile.read(target) == "new" && TextFile.read(link) == "new")
        #expect(Self.mode(of: target) == 0o600)
        #expect(unsafe chmod(target, 0o640) == 0)
        try Self.write("newer", to: target)
        #expect(TextFile.read(target) == "newer" && Self.mode(of: target) == 0o640)
        #expect(TextFile.names(in: directory.path) == ["link.toml", "target.toml"])
    }

    @Test("A file that exists, and a link, are replaced only on demand, and a link to nothing never is")
    func refused() throws {
        let directory = try TemporaryDirectory()
        try directory.write("old", to: "target.toml")
        let link = directory.path + "/link.toml"
        #expect(unsafe symlink("target.toml", link) == 0)
        #expect(throws: CommandFailure.self) { try Self.write("new", to: link, replacing: false) }
        #expect(TextFile.read(link) == "old")
        let broken = directory.path + "/broken.toml"
        #expect(unsafe symlink("nowhere.toml", broken) == 0)
        let failure = #expect(throws: CommandFailure.self) { try Self.write("new", to: broken) }
        #expect(failure?.description.contains("a link to a file that does not exist") == true)
        #expect(Self.isLink(broken))
    }

    @Test("An empty name is wrong usage before anything is written")
    func emptyName() {
        let failure = #expect(throws: CommandFailure.self) { try OutputFile("", replacing: false) }
        #expect(failure?.code == .usage && failure?.description.contains("Try: ") == true)
    }

    @Test("A new file has the mode that its content demands")
    func newFile() throws {
        let directory = try TemporaryDirectory()
        try Self.write("a", to: directory.path + "/public.toml")
        let file = try OutputFile(directory.path + "/private.csv", replacing: false)
        try file.write("b")
        try file.close()
        #expect(Self.mode(of: directory.path + "/private.csv") == 0o600)
        #expect(Self.mode(of: directory.path + "/public.toml").map { $0 & 0o600 } == 0o600)
    }
}
