// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The command that a user probably meant by a word that is none.
package enum CommandSuggestion {
    /// Words for commands that have another name, among the commands of all programs.
    // One row of the table on each line.
    // swift-format-ignore
    private static let aliases: [String: [String]] = [
        "dtc": ["codes"], "dtcs": ["codes"], "errors": ["codes"], "faults": ["codes"], "trouble": ["codes"],
        "vin": ["vehicle"], "car": ["vehicle"], "info": ["vehicle", "describe"], "cars": ["vehicles", "list"],
        "fleet": ["list"], "ls": ["list"], "status": ["check", "list"], "readiness": ["monitors"], "im": ["monitors"],
        "live": ["watch"], "dashboard": ["watch"], "monitor": ["watch"], "show": ["read", "watch"],
        "values": ["read"], "get": ["read"], "pid": ["read"], "pids": ["parameters"], "params": ["parameters"],
        "start": ["run"], "daemon": ["run"], "service": ["run"], "test": ["check"], "verify": ["check"],
        "discover": ["scan"], "find": ["scan"], "erase": ["clear"], "reset": ["clear"], "delete": ["forget"],
        "remove": ["forget"], "dump": ["export"], "save": ["export", "record"], "csv": ["export", "record"],
        "log": ["record", "export"], "history": ["export"], "drives": ["trips"], "journeys": ["trips"],
        "time": ["clock"], "bug": ["diagnose"], "report": ["adapter"], "poll": ["select"], "set": ["select"],
        "keygen": ["key"], "sign": ["key"], "version": ["--version"],
    ]

    /// Returns the first word of a command line that should be a command and is none.
    ///
    /// - Parameters:
    ///   - words: the command line without the program's name.
    ///   - program: the program with its commands.
    /// - Returns: the word, and the command line that was probably meant; nil if all words are commands, or begin with `-`.
    package static func find(_ words: [String], of program: CommandNames) -> (word: String, meant: String?)? {
        var command = program
        var path = [program.name]
        for word in words {
            guard !command.commands.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            if let next = command.commands.first(where: { $0.name == word }) {
                command = next
                path.append(word)
                continue
            }
            let names = command.commands.map(\.name)
            let alias = (Self.aliases[word.lowercased()] ?? []).first { names.contains($0) || $0.hasPrefix("--") }
            let meant = alias ?? NearName.find(word, in: names)
            return (word, meant.map { (path + [$0]).joined(separator: " ") })
        }
        return nil
    }
}
