// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Archive
import TestSupport
import Testing

@Suite("Tar archives", .timeLimit(.minutes(1)))
struct ArchiveReaderTests {
    /// Returns a file of an archive: the header (POSIX.1-1988, ustar) and the content, padded to blocks of 512 bytes.
    private static func file(
        _ name: String,
        _ content: [UInt8],
        kind: Character = "0",
        prefix: String = "",
        size: Int? = nil
    ) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, at index: Int) {
            for (offset, byte) in text.utf8.enumerated() { header[index + offset] = byte }
        }
        func octal(_ value: Int, _ digits: Int) -> String {
            let text = String(value, radix: 8)
            return String(repeating: "0", count: digits - text.count) + text
        }
        put(name, at: 0)
        put(octal(size ?? content.count, 11), at: 124)
        put(String(kind), at: 156)
        put("ustar", at: 257)
        put("00", at: 263)
        put(prefix, at: 345)
        put("        ", at: 148)
        put(octal(header.reduce(0) { $0 + Int($1) }, 6) + "\0 ", at: 148)
        return header + content + [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
    }

    private static let end = [UInt8](repeating: 0, count: 1024)

    @Test("Names and contents are read, whatever form a long name has")
    func names() throws {
        let directory = try TemporaryDirectory()
        let long = String(repeating: "n", count: 150)
        let pax = Array("20 mtime=1700000000\n\(150 + 10) path=\(long)\n".utf8)
        let archive =
            Self.file("Kia/", [], kind: "5") + Self.file("Kia/a.json", Array("{}".utf8))
            + Self.file("tail", Array("abc".utf8), prefix: "deep/folder")
            + Self.file("././@LongLink", Array((long + "1\0").utf8), kind: "L") + Self.file("cut", Array("1".utf8))
            + Self.file("PaxHeaders/x", pax, kind: "x") + Self.file("cut", [UInt8](repeating: 7, count: 1000))
            + Self.file("link", [], kind: "2") + Self.file("last", []) + Self.end
        let path = try directory.write(archive, to: "sets.tar")
        #expect(ArchiveReader.names(in: path) == ["Kia/a.json", "deep/folder/tail", long + "1", long, "last"])
        #expect(ArchiveReader.bytes(of: "Kia/a.json", in: path, limit: 2) == Array("{}".utf8))
        #expect(ArchiveReader.bytes(of: "Kia/a.json", in: path, limit: 1) == nil)
        #expect(ArchiveReader.bytes(of: "deep/folder/tail", in: path, limit: 100) == Array("abc".utf8))
        #expect(ArchiveReader.bytes(of: long + "1", in: path, limit: 100) == Array("1".utf8))
        #expect(ArchiveReader.bytes(of: long, in: path, limit: 1000) == [UInt8](repeating: 7, count: 1000))
        #expect(ArchiveReader.bytes(of: "last", in: path, limit: 0) == [])
        #expect(ArchiveReader.bytes(of: "none", in: path, limit: 100) == nil)
        var contents: [String: [UInt8]] = [:]
        ArchiveReader.read(["last", "Kia/a.json", "none", long], in: path, limit: 999) { contents[$0] = $1 }
        #expect(contents == ["Kia/a.json": Array("{}".utf8), "last": []])
    }

    @Test("An archive that gzip compressed reads the same")
    func gzip() async throws {
        let directory = try TemporaryDirectory()
        let archive =
            Self.file("a", Array("abc".utf8)) + Self.file("b", [UInt8](repeating: 1, count: 70_000)) + Self.end
        let path = try directory.write(archive, to: "sets.tar")
        _ = try await Program("gzip", debianPackage: "gzip").run([path])
        #expect(ArchiveReader.names(in: path + ".gz") == ["a", "b"])
        #expect(ArchiveReader.bytes(of: "b", in: path + ".gz", limit: 70_000) == [UInt8](repeating: 1, count: 70_000))
    }

    @Test("What is no archive, or only the start of one, is not read")
    func damaged() throws {
        let directory = try TemporaryDirectory()
        let archive = Self.file("a", Array("abc".utf8)) + Self.file("b", [UInt8](repeating: 1, count: 5000)) + Self.end
        var damaged = archive
        damaged[1030] ^= 1
        // A size of 100 MiB, three times: more than an archive may have.
        let large = (0..<3).flatMap { Self.file("\($0)", [], size: 100 << 20) }
        let name = Self.file("././@LongLink", [], kind: "L", size: 1 << 20)
        let all = [
            [], Array("{}".utf8), Array(archive.prefix(1500)), Array(archive.dropLast(1024)), damaged, large, name,
        ]
        for (index, bytes) in (all + [Self.end]).enumerated() {
            let path = try directory.write(bytes, to: "file\(index)")
            #expect(ArchiveReader.names(in: path) == nil, "\(index)")
            #expect(ArchiveReader.bytes(of: "c", in: path, limit: 100) == nil, "\(index)")
        }
        #expect(ArchiveReader.names(in: directory.path + "/none") == nil)
        #expect(ArchiveReader.names(in: directory.path) == nil)
    }
}
