// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SignalSets

@Suite("Catalogs of signal sets")
struct SignalCatalogTests {
    private static let catalog = SignalCatalog(
        [
            "Kia-EV9", "Kia", "Kia-Niro-EV", "Mercedes-Benz-E-Class", "Mercedes-Benz", "NissanInfiniti", "Nissan-Leaf",
            "Infiniti-Q50", "Volkswagen-ID4", "Volkswagen-ID.4", "Vauxhall-Opel", "Vauxhall-Opel-Corsa",
            "Alfa-Romeo-Giulia",
            "AlfaRomeo", "Citroen-C3", "Dodge-Ram-1500", "Ram", "Ram-1500", "Odd-Thing", "SAEJ1979", "Kia-EV9", "-",
        ].map { ($0, .file("/sets/\($0).json")) }
    )

    private static func names(_ match: SignalCatalog.Match) -> [String] {
        switch match {
        case .found(let entries): entries.map(\.name)
        case .ambiguous(let entries): ["ambiguous"] + entries.map(\.title)
        case .unknown(let entries): ["unknown"] + entries.map(\.title)
        }
    }

    @Test("Each name is split into make and model; sets for no vehicle and double ones are left out")
    func split() {
        let titles = Self.catalog.entries.map { "\($0.make)|\($0.model ?? "")" }
        #expect(
            titles == [
                "AlfaRomeo|", "Alfa-Romeo|Giulia", "Citroen|C3", "Dodge|Ram-1500", "Infiniti|Q50", "Kia|", "Kia|EV9",
                "Kia|Niro-EV", "Mercedes-Benz|", "Mercedes-Benz|E-Class", "Nissan|Leaf", "NissanInfiniti|", "Odd|Thing",
                "Ram|", "Ram|1500", "Vauxhall-Opel|", "Vauxhall-Opel|Corsa", "Volkswagen|ID.4", "Volkswagen|ID4",
            ]
        )
        #expect(Self.catalog.entries.first { $0.name == "Kia-EV9" }?.title == "Kia EV9")
    }

    @Test(
        "A model is found in any spelling, with or without its make",
        arguments: [
            ("Kia EV9", ["Kia-EV9"]), ("kia-ev9", ["Kia-EV9"]), ("KIA EV 9", ["Kia-EV9"]), ("ev9", ["Kia-EV9"]),
            ("VW ID.4", ["Volkswagen-ID.4", "Volkswagen-ID4"]),
            ("volkswagen id4", ["Volkswagen-ID4", "Volkswagen-ID.4"]),
            ("Mercedes E Class", ["Mercedes-Benz-E-Class"]), ("mercedes-benz e-class", ["Mercedes-Benz-E-Class"]),
            ("Citroën C3", ["Citroen-C3"]), ("Alfa Romeo Giulia", ["Alfa-Romeo-Giulia"]), ("Ram 1500", ["Ram-1500"]),
            ("Kia", ["Kia"]), ("Nissan", ["NissanInfiniti"]), ("Opel", ["Vauxhall-Opel"]), ("1500", ["Ram-1500"]),
        ] as [(String, [String])]
    )
    func find(text: String, names: [String]) {
        #expect(Self.names(Self.catalog.find(text)) == names)
    }

    @Test("Similar names are suggested, and the set of the make")
    func suggestions() {
        #expect(Self.names(Self.catalog.find("Kia EV6")) == ["unknown", "Kia EV9", "Kia"])
        #expect(Self.names(Self.catalog.find("Nisan Leaf")) == ["unknown", "Nissan Leaf"])
        #expect(Self.names(Self.catalog.find("Nissan Micra")) == ["unknown", "NissanInfiniti"])
        #expect(Self.names(Self.catalog.find("Trabant")) == ["unknown"])
        #expect(Self.names(Self.catalog.find(" - ")) == ["unknown"])
        let two = SignalCatalog([("Fiat-500", .file("a")), ("Abarth-500", .file("b")), ("Fiat-Panda", .file("c"))])
        #expect(Self.names(two.find("500")) == ["ambiguous", "Abarth 500", "Fiat 500"])
    }

    @Test("A model's make may have its set alone or with another make")
    func makeSets() throws {
        func sets(_ name: String) throws -> [String] {
            let entry = try #require(Self.catalog.entries.first { $0.name == name })
            return Self.catalog.makeSets(of: entry).map(\.name)
        }
        #expect(try sets("Kia-EV9") == ["Kia"])
        #expect(try sets("Nissan-Leaf") == ["NissanInfiniti"])
        #expect(try sets("Infiniti-Q50") == ["NissanInfiniti"])
        #expect(try sets("Alfa-Romeo-Giulia") == ["AlfaRomeo"])
        #expect(try sets("Citroen-C3") == [])
        #expect(Self.catalog.entries(ofMake: "Nissan").map(\.name) == ["Nissan-Leaf", "NissanInfiniti"])
        #expect(Self.catalog.entries(ofMake: "Opel").map(\.name) == ["Vauxhall-Opel"])
    }

    @Test("All words must be in the name")
    func words() {
        #expect(Self.catalog.entries(matching: ["kia", "EV"]).map(\.name) == ["Kia-EV9", "Kia-Niro-EV"])
        #expect(Self.catalog.entries(matching: ["id.4"]).map(\.name) == ["Volkswagen-ID.4", "Volkswagen-ID4"])
        #expect(Self.catalog.entries(matching: ["kia", "leaf"]).isEmpty)
        #expect(Self.catalog.entries(matching: []).count == Self.catalog.entries.count)
    }

    @Test("The short name of a make is as good as the whole one, wherever a make is named", arguments: ["VW", "vw "])
    func shortNames(make: String) {
        #expect(Self.catalog.entries(matching: [make]).map(\.name) == ["Volkswagen-ID.4", "Volkswagen-ID4"])
        #expect(Self.catalog.entries(ofMake: make).map(\.name) == ["Volkswagen-ID.4", "Volkswagen-ID4"])
        #expect(Self.catalog.entries(ofMake: "Mercedes").map(\.name) == ["Mercedes-Benz", "Mercedes-Benz-E-Class"])
        #expect(Self.names(Self.catalog.find("\(make) ID.5")) == ["unknown", "Volkswagen ID.4"])
    }

    @Test("The nearest make is suggested")
    func nearMake() {
        #expect(Self.catalog.make(like: "kai") == "Kia" && Self.catalog.make(like: "Volkswagn") == "Volkswagen")
        #expect(Self.catalog.make(like: "Trabant") == nil)
        #expect(Self.catalog.suggestions(for: "kai ev9").map(\.title) == ["Kia EV9"])
    }

    @Test("An archive has repositories, or else files one folder deep")
    func members() {
        func names(_ members: [String]) -> [String] {
            SignalCatalog.sets(inArchive: "x.tar", members).map(\.name)
        }
        #expect(
            names([
                "obdb/Kia-EV9-main/signalsets/v3/default.json", "Kia/package.json", "./BMW/signalsets/v3/default.json",
                "BMW/signalsets/v2/default.json", "signalsets/v3/default.json",
            ]) == ["Kia-EV9", "BMW"]
        )
        #expect(names(["Kia.json", "./sets/BMW-X5.json", "a/b/c.json", "README.md", ".json"]) == ["Kia", "BMW-X5"])
    }

    @Test("Requests and signals are counted")
    func counts() throws {
        let text = #"{"commands": [{"signals": [{}, {}]}, {"signals": [{}]}, {}]}"#
        let counts = try #require(SignalCatalog.counts(of: Array(text.utf8)))
        #expect(counts == (3, 3))
        #expect(try #require(SignalCatalog.counts(of: Array(#"{"commands": []}"#.utf8))) == (0, 0))
        #expect(SignalCatalog.counts(of: Array("{}".utf8)) == nil && SignalCatalog.counts(of: []) == nil)
    }
}
