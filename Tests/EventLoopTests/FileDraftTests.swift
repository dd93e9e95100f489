// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("A file that is complete or absent")
struct FileDraftTests {
    private static func write(_ text: String, to path: String, replacing: Bool = true) throws {
        let draft = try FileDraft(of: path, replacing: replacing, mode: 0o600)
        for byte in text.utf8 { try draft.write([byte]) }
        try draft.publish(isFlushed: true)
    }

    @Test("A device that is full is told, and all bytes of a long write arrive")
    func bytes() throws {
        let full = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { _ = close(full) }
        #expect(Descriptor.write([1], to: full) == ENOSPC && Descriptor.write([1], to: -1) == EBADF)
        #expect(Descriptor.write([], to: full) == nil)
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let draft = try FileDraft(of: path, replacing: true, mode: 0o600)
        let bytes = (0..<1_000_000).map { UInt8($0 % 251) }
        try draft.write(bytes)
        try draft.publish(isFlushed: false)
        #expect(TextFile.bytes(of: path, limit: 2_000_000) == bytes)
    }

    /// Makes something at a path that is no regular file.
    private static func make(_ kind: String, at path: String) {
        switch kind {
        case "a FIFO": #expect(unsafe mkfifo(path, 0o600) == 0)
        case "a folder": #expect(unsafe mkdir(path, 0o700) == 0)
        default: #expect(unsafe symlink("/dev/null", path) == 0)
        }
    }

    @Test(
        "A regular file is replaced with its mode, and nothing else",
        arguments: ["a FIFO", "a folder", "a symbolic link"]
    )
    func kinds(kind: String) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("old", to: "file")
        #expect(unsafe chmod(file, 0o640) == 0)
        try Self.write("new", to: file)
        #expect(TextFile.read(file) == "new")
        let other = directory.path + "/other"
        Self.make(kind, at: other)
        let problem = #expect(throws: FileProblem.self) { try Self.write("new", to: other) }
        #expect(problem == .notRegular(kind))
        #expect(FileStatus(other)?.words == kind)
        #expect(TextFile.names(in: directory.path) == ["file", "other"])
    }

    @Test(
        "What takes the place of the file before the end stays there",
        arguments: ["a FIFO", "a folder", "a symbolic link"]
    )
    func race(kind: String) throws {
        for isPresent in [true, false] {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/file"
            if isPresent { try directory.write("old", to: "file") }
            let draft = try FileDraft(of: path, replacing: true, mode: 0o600)
            TextFile.remove(path)
            Self.make(kind, at: path)
            #expect(throws: FileProblem.self) { try draft.publish(isFlushed: false) }
            #expect(FileStatus(path)?.words == kind)
        }
    }

    @Test("A file that appears before the end is replaced only if it may be")
    func appeared() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let draft = try FileDraft(of: path, replacing: false, mode: 0o600)
        try directory.write("other", to: "file")
        #expect(throws: FileProblem.exists) { try draft.publish(isFlushed: false) }
        #expect(throws: FileProblem.exists) { try Self.write("new", to: path, replacing: false) }
        #expect(TextFile.read(path) == "other")
    }

    @Test("A draft belongs to one command; that of a killed one is taken over")
    func drafts() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        try directory.write("left", to: "file.part")
        let first = try FileDraft(of: path, replacing: true, mode: 0o600)
        let problem = #expect(throws: FileProblem.self) { try FileDraft(of: path, replacing: true, mode: 0o600) }
        #expect(problem == .draftInUse)
        try first.publish(isFlushed: false)
        #expect(TextFile.read(path) == "")
        // A link to another file is no draft.
        #expect(unsafe symlink(path, path + ".part") == 0)
        #expect(throws: FileProblem.draftInUse) { try FileDraft(of: path, replacing: true, mode: 0o600) }
    }

    @Test("Another file in the place of the draft is not published")
    func swapped() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        do {
            let draft = try FileDraft(of: path, replacing: true, mode: 0o600)
            TextFile.remove(path + ".part")
            try directory.write("evil", to: "file.part")
            #expect(throws: FileProblem.draftInUse) { try draft.publish(isFlushed: false) }
        }
        #expect(TextFile.names(in: directory.path) == ["file.part"])
    }

    @Test("A draft that is not published is removed")
    func dropped() throws {
        let directory = try TemporaryDirectory()
        do { _ = try FileDraft(of: directory.path + "/file", replacing: true, mode: 0o600) }
        #expect(TextFile.names(in: directory.path) == [])
        #expect(throws: FileProblem.system(ENOENT)) {
            try FileDraft(of: directory.path + "/nowhere/file", replacing: true, mode: 0o600)
        }
        #expect(throws: FileProblem.notRegular("a folder")) {
            try FileDraft(of: directory.path + "/", replacing: true, mode: 0o600)
        }
    }

    @Test("A published file never replaces a device or a link, and every user may read it")
    func published() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/metrics"
        #expect(TextFile.publish(Array("a".utf8), at: path) == nil)
        #expect(TextFile.publish(Array("b".utf8), at: path) == nil)
        #expect(TextFile.read(path) == "b")
        let link = directory.path + "/link"
        #expect(unsafe symlink(path, link) == 0)
        #expect(TextFile.publish(Array("c".utf8), at: link) != nil)
        #expect(TextFile.read(path) == "b" && FileStatus(link)?.words == "a symbolic link")
    }
}
