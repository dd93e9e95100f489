// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

@Suite("The manual pages of the programs")
struct ManualPageTests {
    @Test(
        "The synopsis lists every subcommand of --help, with exactly its options",
        arguments: ["obd-agent", "obd-remote", "obd-simulator"]
    )
    func synopsis(program name: String) async throws {
        let program = try Program(builtHere: name)
        let page = try ManualPage(name)
        // obd-agent(1) refers to obd-remote(1) for the options of a connection.
        let groups = name == "obd-simulator" ? [:] : try ManualPage("obd-remote").optionGroups
        let documented = try page.synopsis(groups)
        let helps = try await Self.helps(of: program, [])
        #expect(Set(documented.keys) == Set(helps.keys))
        for (subcommand, help) in helps {
            let options = (documented[subcommand] ?? []).map { help.longNames[$0] ?? $0 }
            #expect(Set(options) == Set(help.longNames.values), "\(name) \(subcommand)")
        }
    }

    /// Returns the help of each subcommand that has none of its own, by the words that call it.
    private static func helps(of program: Program, _ words: [String]) async throws -> [String: Help] {
        let help = Help(try await program.run(words + ["--help"]))
        guard !help.subcommands.isEmpty else { return [words.joined(separator: " "): help] }
        var helps: [String: Help] = [:]
        for subcommand in help.subcommands {
            helps.merge(try await Self.helps(of: program, words + [subcommand])) { first, _ in first }
        }
        return helps
    }
}

/// The output of `--help`.
private struct Help {
    /// The long name of each option by each of its names; `--help` and `--version` are left out.
    private(set) var longNames: [String: String] = [:]
    private(set) var subcommands: [String] = []

    init(_ lines: [String]) {
        var section = ""
        for line in lines {
            if !line.hasPrefix(" "), line.hasSuffix(":") { section = line }
            // Names are indented by two columns, descriptions by more.
            guard line.hasPrefix("  "), !line.hasPrefix("   ") else { continue }
            let words = line.split(separator: " ").map(String.init)
            switch section {
            case "OPTIONS:":
                let names = words.prefix { $0.hasPrefix("-") }.map { $0.hasSuffix(",") ? String($0.dropLast()) : $0 }
                guard let long = names.last, !["--help", "--version"].contains(long) else { continue }
                for name in names { self.longNames[name] = long }
            case "SUBCOMMANDS:":
                if let name = words.first, name != "See" { self.subcommands.append(name) }
            default: break
            }
        }
    }
}

/// A page of mdoc(7) in docs/.
private struct ManualPage {
    private let lines: [String]

    init(_ name: String) throws {
        let text = try #require(TextFile.read("\(PythonTools.packageRoot)/docs/\(name).1"))
        self.lines = text.split(separator: "\n").map(String.init)
    }

    /// The lines from one heading to the next.
    private func section(_ heading: String) throws -> ArraySlice<String> {
        let start = try #require(self.lines.firstIndex(of: heading)) + 1
        return self.lines[start...].prefix { !$0.hasPrefix(".Sh ") && !$0.hasPrefix(".Ss ") }
    }

    /// The options that the synopsis names together, by the name of the group.
    var optionGroups: [String: [String]] {
        get throws {
            func items(_ heading: String) throws -> [String] {
                try self.section(heading).filter { $0.hasPrefix(".It ") }.flatMap(Self.options)
            }
            let connection = try items(".Ss Connection")
            return ["connection": connection, "command": connection + (try items(".Ss Command"))]
        }
    }

    /// Returns the options of each subcommand of the synopsis.
    ///
    /// - Parameter groups: the options that are named together.
    func synopsis(_ groups: [String: [String]]) throws -> [String: [String]] {
        var options: [String: [String]] = [:]
        var subcommands = [""]
        for line in try self.section(".Sh SYNOPSIS") {
            if line == ".Nm" {
                subcommands = [""]
            } else if line.hasPrefix(".Cm ") {
                subcommands = line.dropFirst(4).split(separator: "|").map { word in
                    word.split(separator: " ").joined(separator: " ")
                }
            }
            let group = line.hasPrefix(".Op Ar ") ? groups[String(line.dropFirst(7))] : nil
            for subcommand in subcommands {
                options[subcommand, default: []] += group ?? Self.options(line)
            }
        }
        // A program with subcommands does nothing without one.
        if options.count > 1 { options[""] = nil }
        return options
    }

    /// Returns the options of a line: `Fl c` is `-c`, and `Fl Fl config` is `--config`.
    private static func options(_ line: String) -> [String] {
        let words = line.split { $0 == " " || $0 == "." || $0 == "," }
        var options: [String] = []
        var dashes = ""
        for word in words {
            if word == "Fl" {
                dashes += "-"
            } else {
                if !dashes.isEmpty { options.append(dashes + word) }
                dashes = ""
            }
        }
        return options
    }
}
