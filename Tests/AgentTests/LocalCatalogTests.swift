// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import FoundationEssentials
import Glibc
import SignalSets
import TestSupport
import Testing

@Suite("Signal sets in local folders", .timeLimit(.minutes(1)))
struct LocalCatalogTests {
    private static func makeRepository(_ name: String, in directory: TemporaryDirectory, _ text: String) throws {
        try FileManager.default.createDirectory(
            atPath: "\(directory.path)/\(name)/signalsets/v3",
            withIntermediateDirectories: true
        )
        try directory.write(text, to: "\(name)/signalsets/v3/default.json")
    }

    @Test("Repositories and files are found; of two with one name the first path counts")
    func folders() throws {
        let checkout = try TemporaryDirectory()
        let files = try TemporaryDirectory()
        try Self.makeRepository("Kia-EV9", in: checkout, "first")
        try Self.makeRepository("Kia-main", in: checkout, "make")
        try checkout.write("none", to: "README.md")
        try files.write("second", to: "Kia-EV9.json")
        try files.write("leaf", to: "Nissan-Leaf.json")
        try files.write("hidden", to: ".Nissan-Ariya.json")
        // A pipe has no set, and does not block.
        unsafe mkfifo("\(files.path)/Kia-Soul.json", 0o600)
        let local = LocalCatalog(paths: [checkout.path, files.path, "/nowhere"])
        #expect(local.catalog.entries.map(\.name) == ["Kia", "Kia-EV9", "Nissan-Leaf"])
        let contents = local.catalog.entries.map { local.bytes(of: $0).map { String(decoding: $0, as: UTF8.self) } }
        #expect(contents == ["make", "first", "leaf"])
        #expect(local.sources.map(\.count) == [2, 2, nil])
        let one = LocalCatalog(paths: [checkout.path + "/Kia-main"])
        #expect(one.catalog.entries.map(\.name) == ["Kia"])
        #expect(LocalCatalog(paths: []).catalog.entries.isEmpty)
    }

    @Test("A set in an archive is read as one in a folder")
    func archive() async throws {
        let directory = try TemporaryDirectory()
        try Self.makeRepository("Kia-EV9", in: directory, "in the archive")
        let archive = directory.path + "/sets.tar.gz"
        _ = try await Program("tar", debianPackage: "tar").run(["-czf", archive, "-C", directory.path, "Kia-EV9"])
        let local = LocalCatalog(paths: [archive])
        let entry = try #require(local.catalog.entries.first)
        #expect(local.catalog.entries.count == 1 && local.sources.first?.count == 1)
        #expect(local.bytes(of: entry) == Array("in the archive".utf8))
        #expect(local.read([entry]) { $0.count } == [entry: "in the archive".utf8.count])
        #expect("\(entry.place)" == archive + ": Kia-EV9/signalsets/v3/default.json")
    }
}
