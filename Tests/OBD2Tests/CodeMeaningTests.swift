// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("Meanings of codes")
struct CodeMeaningTests {
    private static func meaning(_ code: String) throws -> String? {
        try #require(DTC(code)).meaning
    }

    /// Every code with a meaning.
    private static let known: [(code: DTC, words: String)] = (UInt16.min...UInt16.max).compactMap { number in
        let code = DTC(rawValue: number)
        return code.meaning.map { (code, $0) }
    }

    @Test(
        "The letter and the first digits decide the source of a code's definition",
        arguments: [
            ("P0301", .standard), ("P0A0F", .standard), ("P1234", .manufacturer), ("P2002", .standard),
            ("P3000", .manufacturer), ("P33FF", .manufacturer), ("P3400", .standard), ("P39FF", .standard),
            ("P3A00", .reserved), ("P3FFF", .reserved), ("C0035", .standard), ("C1200", .manufacturer),
            ("C2200", .manufacturer), ("C3000", .reserved), ("B0001", .standard), ("B1000", .manufacturer),
            ("B2FFF", .manufacturer), ("B3000", .reserved), ("U0100", .standard), ("U1000", .manufacturer),
            ("U2100", .manufacturer), ("U3000", .standard),
        ] as [(String, DTC.Authority)]
    )
    func authority(_ text: String, _ authority: DTC.Authority) throws {
        #expect(try #require(DTC(text)).authority == authority)
    }

    @Test(
        "A range of codes has its category and its group",
        arguments: [
            ("P0087", .powertrain, .fuelAndAir), ("P0171", .powertrain, .fuelAndAir),
            ("P0201", .powertrain, .fuelAndAir),
            ("P0301", .powertrain, .ignition), ("P0420", .powertrain, .emissionControls),
            ("P0500", .powertrain, .speedAndIdle), ("P0606", .powertrain, .computer),
            ("P0700", .powertrain, .transmission), ("P0841", .powertrain, .transmission),
            ("P0945", .powertrain, .transmission), ("P0A80", .powertrain, .hybridPropulsion),
            ("P0D2B", .powertrain, .hybridPropulsion), ("P1128", .powertrain, .fuelAndAir),
            ("P1399", .powertrain, .ignition), ("P1450", .powertrain, .emissionControls),
            ("P1780", .powertrain, .transmission), ("P2002", .powertrain, .fuelAndAir),
            ("P2135", .powertrain, .fuelAndAir), ("P2300", .powertrain, .ignition),
            ("P2463", .powertrain, .emissionControls), ("P2500", .powertrain, .speedAndIdle),
            ("P2610", .powertrain, .computer), ("P2714", .powertrain, .transmission),
            ("P2A00", .powertrain, .fuelAndAir), ("P3400", .powertrain, .cylinderDeactivation),
            ("P1A00", .powertrain, nil), ("P3500", .powertrain, nil), ("C0035", .chassis, .brakesAndTraction),
            ("C1200", .chassis, nil), ("B0001", .body, .restraints), ("B1000", .body, nil),
            ("U0001", .network, .networkElectrical), ("U0100", .network, .networkCommunication),
            ("U0293", .network, .networkCommunication), ("U0301", .network, .networkSoftware),
            ("U0415", .network, .networkData), ("U0513", .network, .networkData), ("U3003", .network, .modulePower),
            ("U1000", .network, nil),
        ] as [(String, DTC.Category, DTC.Group?)]
    )
    func groups(_ text: String, _ category: DTC.Category, _ group: DTC.Group?) throws {
        let code = try #require(DTC(text))
        #expect(code.category == category)
        #expect(code.group == group)
    }

    @Test("Only codes of the standard have a meaning, and every code has an explanation")
    func explanations() {
        for number in stride(from: UInt16.min, to: UInt16.max, by: 7) {
            let code = DTC(rawValue: number)
            switch (code.authority, code.meaning) {
            case (.standard, let meaning?): #expect(code.explanation == meaning)
            case (.standard, nil): #expect(code.explanation.contains("standard"))
            case (.manufacturer, let meaning):
                #expect(meaning == nil && code.explanation.contains("manufacturer"), "\(code)")
            case (.reserved, let meaning):
                #expect(meaning == nil && code.explanation.contains("Reserved"), "\(code)")
            }
        }
    }

    @Test("Every meaning is a short ASCII phrase with a capital, without a final period and without placeholders")
    func form() {
        for (code, words) in Self.known {
            #expect(words.first?.isUppercase == true || words.first?.isNumber == true, "\(code) \(words)")
            #expect((4...100).contains(words.count), "\(code) \(words)")
            #expect(words.last != "." && words.last != " " && !words.contains("  "), "\(code) \(words)")
            #expect(words.unicodeScalars.allSatisfy { $0.isASCII || $0 == "\u{B0}" }, "\(code) \(words)")
            #expect(!words.contains("#") && !words.contains("*"), "\(code) \(words)")
        }
    }

    @Test("No two codes have the same meaning")
    func unique() {
        var codes: [String: DTC] = [:]
        for (code, words) in Self.known {
            if let other = codes.updateValue(code, forKey: words) { Issue.record("\(other) and \(code): \(words)") }
        }
    }

    @Test("Well-known codes have their meanings", arguments: CodeMeaningVectors.all)
    func vectors(_ code: String, _ words: String) throws {
        #expect(try Self.meaning(code) == words)
    }

    @Test("The vectors are numerous and have no code twice")
    func vectorCount() {
        #expect(Set(CodeMeaningVectors.all.map(\.code)).count == CodeMeaningVectors.all.count)
        #expect(CodeMeaningVectors.all.count >= 200)
    }

    @Test("The meanings of a family differ only in a number that counts up", arguments: CodeMeaningVectors.families)
    func families(_ name: String, _ codes: [String]) throws {
        var shapes: Set<String> = []
        var counts: [String] = []
        for code in codes {
            // One word differs: a number or a single capital letter.
            let words = try #require(try Self.meaning(code)).split(whereSeparator: { " :,".contains($0) })
            let isCount = { (word: Substring) in
                word.allSatisfy(\.isNumber) || word.count == 1 && word == word.uppercased()
            }
            let place = try #require(
                name.contains("sensors of") ? words.lastIndex(where: isCount) : words.firstIndex(where: isCount)
            )
            counts.append(String(words[place]))
            shapes.insert((words[..<place] + ["#"] + words[(place + 1)...]).joined(separator: " "))
        }
        #expect(shapes.count == 1, "\(shapes)")
        #expect(Set(counts).count == codes.count, "\(counts)")
        let numbers = counts.compactMap(Int.init)
        #expect(numbers.isEmpty ? counts.sorted() == counts : numbers == numbers.sorted(), "\(counts)")
    }

    @Test(
        "Bank 2 has the meanings of bank 1",
        arguments: [
            ("P0010", "P0020"), ("P0012", "P0022"), ("P0016", "P0018"), ("P0026", "P0028"), ("P0030", "P0050"),
            ("P0038", "P0058"), ("P0044", "P0064"), ("P0053", "P0059"), ("P0076", "P0082"), ("P0080", "P0086"),
            ("P0095", "P00A5"), ("P0110", "P00AA"), ("P007A", "P00A0"), ("P006A", "P00B8"), ("P0130", "P0150"),
            ("P0133", "P0153"), ("P0141", "P0161"), ("P0147", "P0167"), ("P0171", "P0174"), ("P0172", "P0175"),
            ("P0341", "P0346"), ("P0366", "P0391"), ("P0420", "P0430"), ("P0424", "P0434"), ("P0427", "P0437"),
            ("P042C", "P043C"), ("P0491", "P0492"), ("P0544", "P0547"), ("P0546", "P0549"), ("P0638", "P0639"),
            ("P0661", "P0664"), ("P2000", "P2001"), ("P2008", "P2011"), ("P2015", "P2020"), ("P2032", "P2035"),
            ("P2048", "P2051"), ("P2070", "P206E"), ("P2078", "P207D"), ("P2080", "P2082"), ("P2085", "P2087"),
            ("P2089", "P2093"), ("P2091", "P2095"), ("P2096", "P2098"), ("P2178", "P2180"), ("P2187", "P2189"),
            ("P2195", "P2197"), ("P2202", "P2215"), ("P2207", "P2220"), ("P2211", "P2224"), ("P2231", "P2234"),
            ("P2238", "P2241"), ("P2246", "P2250"), ("P2252", "P2255"), ("P2271", "P2273"), ("P2297", "P2298"),
            ("P2414", "P2415"), ("P2428", "P2429"), ("P2433", "P2438"), ("P2440", "P2442"), ("P2445", "P2447"),
            ("P2627", "P2630"), ("P2647", "P2657"), ("P264C", "P266C"), ("P2653", "P2663"), ("P265D", "P267D"),
            ("P2A01", "P2A04"), ("P2A06", "P2A09"), ("P3400", "P3497"), ("P20EE", "P20F2"), ("P204F", "P205F"),
        ]
    )
    func banks(_ first: String, _ second: String) throws {
        let words = try #require(try Self.meaning(first))
        #expect(words.contains("bank 1"))
        #expect(try Self.meaning(second) == words.replacing("bank 1", with: "bank 2"))
    }

    @Test(
        "A number without a meaning never gets that of its neighbor",
        arguments: [
            "P0000", "P00C0", "P00FF", "P031A", "P0364", "P0395", "P03FF", "P05FF",
            "P0B0E", "P0C00", "P0D00", "P0D15", "P0D31", "P0E0C", "P0FFF", "P2348", "P2498", "P2BA6", "P2BAF", "P3498",
            "P34FF", "P3500", "P39FF", "C0013",
            "C0024", "C0075", "C00FF", "C0100", "B0006", "B0014", "B0059", "B00BC", "B0100", "U0075", "U0099", "U0258",
            "U0332", "U0440", "U05FF", "U3011", "U3FFF",
        ]
    )
    func gaps(_ text: String) throws {
        let code = try #require(DTC(text))
        #expect(code.meaning == nil)
        #expect(code.explanation == "Code of the standard without a description here")
    }

    @Test("All codes with a meaning are found")
    func count() {
        #expect(Self.known.count == 3820)
    }
}
