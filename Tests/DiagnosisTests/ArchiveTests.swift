// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import FoundationEssentials
import TestSupport
import Testing

@Suite("What is put into a bug report")
struct ArchiveTests {
    @Test("Files of any length come out of the archive as they went in, and tar lists them")
    func archive() async throws {
        var archive = TarArchive(time: 1_795_000_000)
        var files: [(name: String, contents: [UInt8])] = []
        for length in [0, 1, 511, 512, 513, 1024, 100_000] {
            files.append(("file-\(length).txt", (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
        }
        for file in files { archive.append(file.contents, as: file.name) }
        for file in files { #expect(TarArchive.file(file.name, in: archive.bytes) == file.contents) }
        #expect(TarArchive.file("other", in: archive.bytes) == nil)
        #expect(TarArchive.file("file-0.txt", in: Array("no archive".utf8)) == nil)

        let folder = try TemporaryDirectory()
        let path = "\(folder.path)/archive.tar"
        try Data(archive.bytes).write(to: URL(filePath: path))
        let listed = try await Program("tar", debianPackage: "tar").run(["--list", "--verbose", "--file", path])
        #expect(listed.count == files.count)
        for (line, file) in zip(listed, files) {
            #expect(
                line.hasPrefix("-rw-------") && line.hasSuffix(file.name) && line.contains(" \(file.contents.count) ")
            )
        }
    }

    @Test("No archive that is cut off or changed makes reading it trap", arguments: 0..<50)
    func broken(seed: UInt64) {
        var numbers = SeededNumbers(seed)
        var archive = TarArchive(time: 0)
        archive.append([UInt8](repeating: 1, count: 700), as: "one")
        archive.append([UInt8](repeating: 2, count: 300), as: "two")
        var bytes = Array(archive.bytes.prefix(Int.random(in: 0...3000, using: &numbers)))
        for _ in 0..<20 where !bytes.isEmpty {
            bytes[Int.random(in: bytes.indices, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
        }
        _ = TarArchive.file("two", in: bytes)
    }

    @Test(
        "Secrets are left out of a configuration, whatever else is wrong with it",
        arguments: [
            ("password = \"x\"", "password = \"(left out)\""), ("  pin = 1234 # mine", "  pin = \"(left out)\""),
            ("mqtt.api-token=\"x\"", "mqtt.api-token= \"(left out)\""),
            ("password_file = \"/etc/x\"", "password_file = \"/etc/x\""),
            ("url = \"mqtts://me:secret@host:8883/x\"", "url = \"mqtts://host:8883/x\""),
            ("urls = [\"mqtt://a@b\", \"mqtt://c\"]", "urls = [\"mqtt://b\", \"mqtt://c\"]"),
            ("secret = \"\"\"\na\nb\"\"\"\nname = 1", "secret = \"(left out)\"\nname = 1"),
            ("tokens = 1\nother = \"pin\"", "tokens = 1\nother = \"pin\""),
            ("private = [\n\"a\",\n]\nx = 1", "private = \"(left out)\"\nx = 1"), ("[broken", "[broken"),
        ]
    )
    func secrets(text: String, masked: String) {
        #expect(SecretMask.masked(text) == masked)
    }

    @Test("What may be a VIN is crossed out of a text, other words stay")
    func redaction() {
        let text = "obd/ZZZSMVLATR4700893/status, 12345678901234567, abcdefghijklmnopq, ZZZSMVLATR47008931"
        let crossed = "obd/XXXXXXXXXX0000000/status, 12345678901234567, abcdefghijklmnopq, ZZZSMVLATR47008931"
        #expect(Redaction.redacted(text) == crossed)
    }
}
