// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import EventLoop
import FoundationEssentials
import Glibc
import OBD2
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
        #expect(local.sources.map(\.skipped) == [[], ["Kia-Soul.json"], []])
        #expect(local.sources.map(\.problem) == [nil, nil, "No such file or directory"])
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
        let whole = try #require(TextFile.bytes(of: archive, limit: 1 << 20))
        let cut = try directory.write(Array(whole.dropLast(whole.count / 2)), to: "cut.tar.gz")
        #expect(LocalCatalog(paths: [cut]).sources.first?.problem?.contains("its end is missing") == true)
    }

    private static func set(_ data: String, _ keys: String = "") -> String {
        let signal = #"{"id": "S\#(data)", "fmt": {"len": 8, "max": 255, "unit": "scalar"}}"#
        return #"{"commands": [{"hdr": "7E0", \#(keys)"cmd": {"22": "\#(data)"}, "freq": 1, "signals": [\#(signal)]}]}"#
    }

    @Test("A model without requests has those of its make, for a detection as for an import")
    func makeSets() throws {
        let files = try TemporaryDirectory()
        try files.write(Self.set("0001"), to: "Kia.json")
        try files.write(Self.set("0002"), to: "Kia-EV9.json")
        try files.write(#"{"commands": []}"#, to: "Kia-Soul.json")
        try files.write(#"{"commands": []}"#, to: "Volvo-EX30.json")
        try files.write("{", to: "Kia-Broken.json")
        let local = LocalCatalog(paths: [files.path])
        let sources = local.readFilled(local.catalog.entries) { $0 }.mapValues(\.source.name)
        let named = Dictionary(sources.map { ($0.key.name, $0.value) }) { first, _ in first }
        #expect(named == ["Kia": "Kia", "Kia-EV9": "Kia-EV9", "Kia-Soul": "Kia", "Kia-Broken": "Kia-Broken"])
        let candidates = local.search(makes: ["kia"], year: nil).candidates
        #expect(candidates.map(\.model) == ["Kia EV9", "Kia Soul"])
        #expect(candidates.map { $0.requests.map(\.payload) } == [[[0x22, 0, 2]], [[0x22, 0, 1]]])
        let broken = try #require(local.catalog.entries.first { $0.name == "Kia-Broken" })
        #expect(local.problem(with: broken)?.isEmpty == false)
        #expect(local.problem(with: try #require(local.catalog.entries.first { $0.name == "Kia" })) == nil)
        #expect(unsafe unlink(files.path + "/Kia-Broken.json") == 0)
        #expect(local.problem(with: broken)?.contains("No such file") == true)
    }

    @Test("A search without a request tells the years that there are, or the near name of the make")
    func emptySearch() throws {
        let files = try TemporaryDirectory()
        try files.write(Self.set("0001", #""filter": {"from": 2015, "to": 2019}, "#), to: "Kia-Soul.json")
        try files.write(Self.set("0002", #""filter": {"from": 2021}, "#), to: "Kia-EV9.json")
        let local = LocalCatalog(paths: [files.path])
        #expect(local.search(makes: ["Kia"], year: 2016).hasRequests)
        #expect(!local.search(makes: ["Kia"], year: 1990).hasRequests)
        #expect(
            local.reasonOfEmptySearch(makes: ["Kia"], year: 1990)
                == "the signal sets of Kia have no requests for model year 1990, but for: 2015 to 2019, 2021 and later"
        )
        #expect(
            local.reasonOfEmptySearch(makes: ["Kai"], year: 1990)
                == "the catalog has no signal set of Kai; did you mean Kia?"
        )
    }
}
