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

    @Test("Neither a link nor its file is written, in place or not", arguments: [true, false])
    func link(inPlace: Bool) throws {
        let directory = try TemporaryDirectory()
        let target = try directory.write("old", to: "target.toml")
        for (name, destination) in [("link.toml", "target.toml"), ("broken.toml", "nowhere.toml")] {
            let link = directory.path + "/" + name
            #expect(unsafe symlink(destination, link) == 0)
            let failure = #expect(throws: CommandFailure.self) {
                let file = try OutputFile(link, replacing: true, inPlace: inPlace)
                try file.write("new")
                try file.close()
            }
            #expect(failure?.code == .cannotCreate)
            #expect(failure?.description.contains("is a symbolic link, and only a regular file") == true)
            #expect(failure?.description.contains("\nTry: ") == true)
            #expect(Self.isLink(link) && TextFile.read(target) == "old")
        }
        #expect(TextFile.names(in: directory.path) == ["broken.toml", "link.toml", "target.toml"])
    }

    @Test("A FIFO and a device stay what they are", arguments: [true, false])
    func special(inPlace: Bool) throws {
        let directory = try TemporaryDirectory()
        let pipe = directory.path + "/pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        for (path, kind) in [(pipe, "a FIFO"), ("/dev/null", "a device"), (directory.path, "a folder")] {
            let failure = #expect(throws: CommandFailure.self) {
                try OutputFile(path, replacing: true, inPlace: inPlace)
            }
            #expect(failure?.description.contains("is \(kind), and only a regular file") == true)
        }
    }

    @Test("A file with a second name is not written in place, because it may be another user's")
    func hardLink() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("old", to: "file")
        #expect(unsafe Glibc.link(file, directory.path + "/second") == 0)
        #expect(throws: CommandFailure.self) { try OutputFile(file, replacing: true, inPlace: true) }
        #expect(TextFile.read(file) == "old")
        try Self.write("new", to: file)
        #expect(TextFile.read(file) == "new" && TextFile.read(directory.path + "/second") == "old")
    }

    @Test("A file that exists is replaced only on demand, and keeps its mode")
    func refused() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("old", to: "target.toml")
        #expect(throws: CommandFailure.self) { try Self.write("new", to: file, replacing: false) }
        #expect(TextFile.read(file) == "old")
        #expect(unsafe chmod(file, 0o640) == 0)
        try Self.write("newer", to: file)
        #expect(TextFile.read(file) == "newer" && Self.mode(of: file) == 0o640)
        #expect(TextFile.names(in: directory.path) == ["target.toml"])
    }

    @Test("After a write that failed no file is completed, although later ones succeed", arguments: [false, true])
    func failedWrite(inPlace: Bool) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/drive.csv"
        do {
            var count = 0
            let file = try OutputFile(path, replacing: false, inPlace: inPlace) { bytes, descriptor in
                count += 1
                return count == 2 ? ENOSPC : Descriptor.write(bytes, to: descriptor)
            }
            try file.write("first\n")
            try file.flush()
            try file.write("second\n")
            #expect(throws: CommandFailure.self) { try file.flush() }
            // The caller may go on as if the disk had room again.
            try file.write("third\n")
            let failure = #expect(throws: CommandFailure.self) { try file.close() }
            #expect(failure?.code == .inputOutput && failure?.description.contains("No space left") == true)
            #expect(count == 2)
        }
        // In place the name was there from the start; what it has is nothing.
        #expect(TextFile.names(in: directory.path) == (inPlace ? ["drive.csv"] : []))
        #expect(TextFile.bytes(of: path, limit: 100) == (inPlace ? [] : nil))
    }

    @Test("A hyphen is standard output, and no file")
    func hyphen() {
        #expect(!OutputFile.isFile(nil) && !OutputFile.isFile("-") && OutputFile.isFile("./-"))
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
