// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("Signal sets by model", .timeLimit(.minutes(2)))
struct ModelImportTests {
    private static func set(_ id: String) -> String {
        """
        {"commands": [{"hdr": "7E4", "rax": "7EC", "cmd": {"22": "0101"}, "freq": 5, "signals": [
          {"id": "\(id)", "name": "Charge", "fmt": {"bix": 32, "len": 8, "div": 2, "max": 127.5, "unit": "percent"}}]}]}
        """
    }

    private static func catalog() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try directory.write(Self.set("KIA_SOC"), to: "Kia.json")
        try directory.write(Self.set("EV9_SOC"), to: "Kia-EV9.json")
        try directory.write(#"{"commands": []}"#, to: "Kia-Niro-EV.json")
        try directory.write(#"{"commands": []}"#, to: "Volvo-EX30.json")
        return directory
    }

    private static func run(_ arguments: [String], _ catalog: TemporaryDirectory) async throws -> [String] {
        try await Program(builtHere: "obd-agent").run(["parameters"] + arguments + ["--catalog", catalog.path])
    }

    private static func complaint(_ arguments: [String], _ catalog: TemporaryDirectory) async throws -> String {
        let error = await #expect(throws: ProgramFailed.self) { try await Self.run(arguments, catalog) }
        return error.map { "\($0)" } ?? ""
    }

    @Test("The makes are listed, and with words the models with their counts")
    func models() async throws {
        let catalog = try Self.catalog()
        #expect(try await Self.run(["models"], catalog) == ["Kia    2  EV9, Niro-EV", "Volvo  1  EX30"])
        #expect(
            try await Self.run(["models", "KIA"], catalog) == [
                "Kia          1 request, 1 signal", "Kia EV9      1 request, 1 signal",
                "Kia Niro-EV  the set of its make",
            ]
        )
        let json = JSON(payload: Array(try await Self.run(["models", "ev9", "--json"], catalog).joined().utf8))
        let entry = try #require(json.elements.first)
        #expect(json.elements.count == 1 && entry["name"] == "Kia-EV9" && entry["signals"] == 1)
        #expect(entry["set"] == .string(catalog.path + "/Kia-EV9.json"))
        #expect(try await Self.complaint(["models", "trabant"], catalog).contains("no model matches \"trabant\""))
        let near = try await Self.complaint(["models", "kia", "ev8"], catalog)
        #expect(near.contains("no model matches \"kia ev8\"; did you mean \"Kia EV9\", \"Kia\"?"))
        try catalog.write("{", to: "Kia-Soul.json")
        let broken = try await Self.complaint(["models", "soul"], catalog)
        #expect(broken.contains("exited(66)") && broken.contains("1 signal set can't be read"))
        #expect(broken.contains("Kia-Soul.json: "))
    }

    @Test("What is no set is not listed, what is skipped is named, and the standard's set does not count")
    func strangeFiles() async throws {
        let catalog = try Self.catalog()
        try catalog.write(Self.set("PID"), to: "SAEJ1979.json")
        #expect(unsafe mkfifo(catalog.path + "/Audi-Q4.json", 0o600) == 0)
        #expect(unsafe symlink("nowhere", catalog.path + "/Audi-A4.json") == 0)
        let arguments = ["parameters", "models", "--catalog", catalog.path]
        let child = try ChildProcess(Program(builtHere: "obd-agent"), arguments)
        let notes = try await within("models") { await child.errors.reduce(into: [String]()) { $0.append($1) } }
        #expect(notes.first == "\(catalog.path): 4 sets")
        #expect(notes.dropFirst().first?.hasSuffix("no regular files: Audi-A4.json, Audi-Q4.json") == true)
        try catalog.write("[]", to: "Ford.json")
        let broken = try await Self.complaint(["models"], catalog)
        #expect(broken.contains("exited(66)") && broken.contains("\(catalog.path)/Ford.json"))
    }

    @Test("A model's set is imported in any spelling; without requests of its own it is that of its make")
    func importing() async throws {
        let catalog = try Self.catalog()
        let own = try await Self.run(["import", "--model", "kia ev 9", "--year", "2024"], catalog)
        #expect(own.contains("[custom.ev9_soc]") && own.contains { $0.contains("Kia EV9") })
        let make = try await Self.run(["import", "--model", "Kia Niro EV"], catalog)
        #expect(make.contains("[custom.kia_soc]") && make.contains { $0.contains("Kia for Kia Niro-EV") })
        let unknown = try await Self.complaint(["import", "--model", "Kia EV6"], catalog)
        #expect(unknown.contains("no model \"Kia EV6\""))
        #expect(unknown.contains("Try: \"Kia EV9\", \"Kia\". If github.com/OBDb"))
        #expect(try await Self.complaint(["import", "--model", "ex30"], catalog).contains("Volvo EX30 has no signals"))
        #expect(try await Self.complaint(["import"], catalog).contains("Name a file, or a model with --model"))
    }

    @Test("A file that exists is replaced with --force only, and one that cannot be written is told at once")
    func output() async throws {
        let catalog = try Self.catalog()
        let file = catalog.path + "/ev9.toml"
        let arguments = ["import", "--model", "ev9", "--output", file]
        _ = try await Self.run(arguments, catalog)
        let first = try #require(TextFile.read(file))
        #expect(first.contains("[custom.ev9_soc]"))
        try catalog.write("edited by hand", to: "ev9.toml")
        let refused = try await Self.complaint(arguments, catalog)
        #expect(refused.contains("exists already | Try: --force") && !refused.contains("imported"))
        #expect(TextFile.read(file) == "edited by hand")
        _ = try await Self.run(arguments + ["--force"], catalog)
        #expect(TextFile.read(file) == first)
        let unnamed = try await Self.complaint(["import", "--model", "ev9", "--output", ""], catalog)
        #expect(unnamed.contains("exited(64)") && !unnamed.contains("imported"))
        let nowhere = try await Self.complaint(["import", "--model", "ev9", "-o", "/nowhere/ev9.toml"], catalog)
        #expect(nowhere.contains("make its folder first") && !nowhere.contains("imported"))
    }

    @Test("A model year is checked, and the years that there are are told")
    func years() async throws {
        let catalog = try Self.catalog()
        for year in ["23", "0", "2100"] {
            let wrong = try await Self.complaint(["import", "--model", "ev9", "--year", year], catalog)
            #expect(wrong.contains("--year \(year) is not a model year from 1980 to 2099"))
        }
        let filtered = Self.set("SOUL_SOC").replacing(#""freq": 5"#, with: #""freq": 5, "filter": {"from": 2015}"#)
        try catalog.write(filtered, to: "Kia-Soul.json")
        let old = try await Self.complaint(["import", "--model", "Kia Soul", "--year", "1990"], catalog)
        #expect(old.contains("is for model year 1990 | Try: --year with one of these: 2015 and later."))
    }

    @Test("A pipe or a device in place of a file is refused, and nobody waits for it")
    func pipes() async throws {
        let catalog = try Self.catalog()
        let pipe = catalog.path + "/pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        for arguments in [
            ["import", pipe], ["import", "--model", "ev9", "--config", pipe], ["list", "--config", pipe],
        ] {
            let program = try Program(builtHere: "obd-agent")
            let error = await #expect(throws: ProgramFailed.self) { try await program.run(["parameters"] + arguments) }
            #expect("\(try #require(error))".contains("it is a pipe or a device, not a regular file"), "\(arguments)")
        }
    }

    @Test("Without any sets, the remedy is named")
    func empty() async throws {
        let directory = try TemporaryDirectory()
        let empty = try await Self.complaint(["models"], directory)
        #expect(empty.contains("no signal sets in \(directory.path)") && empty.contains("obd-signals"))
        #expect(!empty.contains("or --catalog"))
        let program = try Program(builtHere: "obd-agent")
        let error = await #expect(throws: ProgramFailed.self) {
            try await program.run(["parameters", "models", "--catalog", "/nowhere"])
        }
        #expect("\(try #require(error))".contains("/nowhere can't be read: No such file or directory"))
    }
}
