// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Archive
import Diagnosis
import FoundationEssentials
import TestSupport
import Testing

@Suite("The contents of a bug report")
struct ArchiveTests {
    @Test("Files of any length are read from the archive unchanged, and tar lists them")
    func archive() async throws {
        var archive = TarArchive(time: 1_795_000_000)
        var files: [(name: String, contents: [UInt8])] = []
        for length in [0, 1, 511, 512, 513, 1024, 100_000] {
            files.append(("file-\(length).txt", (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
        }
        for file in files { archive.append(file.contents, as: file.name) }
        let folder = try TemporaryDirectory()
        let path = "\(folder.path)/archive.tar"
        try Data(archive.bytes).write(to: URL(filePath: path))
        for file in files { #expect(ArchiveReader.bytes(of: file.name, in: path, limit: 1 << 20) == file.contents) }
        #expect(ArchiveReader.bytes(of: "other", in: path, limit: 1 << 20) == nil)

        let listed = try await Program("tar", debianPackage: "tar").run(["--list", "--verbose", "--file", path])
        #expect(listed.count == files.count)
        for (line, file) in zip(listed, files) {
            #expect(
                line.hasPrefix("-rw-------") && line.hasSuffix(file.name) && line.contains(" \(file.contents.count) ")
            )
        }
    }

    @Test("Reading a truncated or corrupted archive never traps", arguments: 0..<50)
    func broken(seed: UInt64) throws {
        var numbers = SeededNumbers(seed)
        var archive = TarArchive(time: 0)
        archive.append([UInt8](repeating: 1, count: 700), as: "one")
        archive.append([UInt8](repeating: 2, count: 300), as: "two")
        var bytes = Array(archive.bytes.prefix(Int.random(in: 0...3000, using: &numbers)))
        for _ in 0..<20 where !bytes.isEmpty {
            bytes[Int.random(in: bytes.indices, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
        }
        let folder = try TemporaryDirectory()
        let path = "\(folder.path)/archive.tar"
        try Data(bytes).write(to: URL(filePath: path))
        if let two = ArchiveReader.bytes(of: "two", in: path, limit: 1 << 20) { #expect(two.count <= bytes.count) }
    }

    @Test(
        "Secrets are masked in a configuration, even in an invalid one",
        arguments: [
            ("password = \"x\"", "password = \"(left out)\""), ("  pin = 1234 # mine", "  pin = \"(left out)\""),
            ("mqtt.api-token=\"x\"", "mqtt.api-token= \"(left out)\""),
            ("password_file = \"/etc/x\"", "password_file = \"/etc/x\""),
            ("latitude = 52.5163", "latitude = \"(left out)\""),
            ("\"longitude\"=13.4", "\"longitude\"= \"(left out)\""),
            ("zones = [\n{ name = \"home\", latitude = 52.5 },\n]\nx = 1", "zones = \"(left out)\"\nx = 1"),
            ("position = { zones = [{ latitude = 52.5 }] }", "position = \"(left out)\""),
            ("throttle_position = 1", "throttle_position = 1"),
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

    @Test("Comments are removed from a configuration, but text in quotes stays")
    func comments() {
        let text = "# of Mr Smith\nname = \"a # b\"  # his\nurl = 'c#d' # \"x\"\nkey = \"a\\\"#b\" # c"
        #expect(SecretMask.withoutComments(text) == "\nname = \"a # b\"\nurl = 'c#d'\nkey = \"a\\\"#b\"")
    }

    @Test("Words that may be a VIN are masked in upper and lower case; other words stay")
    func vins() {
        var words = PersonalWords()
        let text = "obd/ZZZSMVLATR4700893/status, zzzsmvlatr4700893"
        let others = ", 12345678901234567, abcdefghijklmnopq, ZZZSMVLATR47008931"
        #expect(words.redacted(text + others) == "obd/XXXXXXXXXX0000000/status, XXXXXXXXXX0000000" + others)
        #expect(words.counts == ["VIN": 2])
    }

    @Test("Each personal word is replaced by its label, and hardware addresses are masked")
    func words() {
        var words = PersonalWords()
        words.add("Smiths-Golf", as: .vehicle)
        words.add("golf", as: .vehicle)
        words.add("smith", as: .user)
        words.add("obd-agent", as: .user)
        words.add("x", as: .user)
        let text = "obd-agent: obd/smiths-golf/x, GOLF of smith, smithy, golfer AA:bb:CC:DD:EE:0F dev_AA_BB_CC_DD_EE_0F"
        let redacted =
            "obd-agent: obd/[vehicle 1]/x, [vehicle 2] of [user 1], smithy, golfer XX:XX:XX:XX:XX:XX dev_XX_XX_XX_XX_XX_XX"
        #expect(words.redacted(text) == redacted)
        #expect(words.counts == ["[vehicle 1]": 1, "[vehicle 2]": 1, "[user 1]": 1, "hardware address": 2])
    }

    @Test("A serial number and the adapter's address are masked in a transcript, which stays valid")
    func serialNumber() throws {
        let lines = [
            "obd-agent transcript 1 version=1 boot=x", "1.000000000 open ble:AA:BB:CC:DD:EE:FF",
            "2.000000000 ask 6 090D 0D - - -", "2.000000000 > 090D\\r",
            "2.100000000 < 7E8100D490D01456E67\\r7E821494F3962313233\\r7E9037F0931\\r\\r>", "3.000000000 note golf", "",
        ]
        var words = PersonalWords()
        words.add("golf", as: .vehicle)
        let redacted = words.redacted(try Transcript(lines.joined(separator: "\n"))).text
        var expected = lines
        expected[1] = "1.000000000 open ble:XX:XX:XX:XX:XX:XX"
        expected[4] = "2.100000000 < 7E8100D490D01585858\\r7E82158583058303030\\r7E9037F0931\\r\\r>"
        expected[5] = "3.000000000 note [vehicle 1]"
        #expect(redacted == expected.joined(separator: "\n"))
    }
}
