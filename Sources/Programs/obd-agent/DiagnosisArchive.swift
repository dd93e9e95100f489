// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Base
import CommandLine
import Diagnosis
import EventLoop

/// The archive of `diagnose`.
///
/// Each file is redacted when it is added, and README.txt lists all of them.
struct DiagnosisArchive {
    private var archive = TarArchive(time: KernelClock.now.millisecondsSince1970 / 1000)
    /// The personal words to replace; nil without redaction.
    private var words: PersonalWords?
    /// The lines of `README.txt`: the files that are in the archive, and those that are not.
    private(set) var lines: [String] = []

    init(words: PersonalWords?) {
        self.words = words
    }

    mutating func add(_ name: String, _ text: String?) {
        self.append(name, text.map { self.words?.redacted($0) ?? $0 })
    }

    mutating func add(_ name: String, transcript text: String?) {
        guard self.words != nil, let text else { return self.append(name, text) }
        guard let transcript = try? Transcript(text) else { return self.leaveOut(name, "it cannot be read") }
        self.append(name, self.words?.redacted(transcript).text)
    }

    /// Adds a configuration file.
    ///
    /// Its secrets are masked in any case.
    mutating func add(_ name: String, configuration text: String?) {
        var masked = text.map(SecretMask.masked)
        if self.words != nil { masked = masked.map(SecretMask.withoutComments) }
        self.add(self.words?.redacted(name) ?? name, masked)
    }

    mutating func leaveOut(_ name: String, _ reason: String) {
        self.lines.append("left out  \(name): \(reason)")
    }

    private mutating func append(_ name: String, _ text: String?) {
        guard let text, !text.isEmpty else { return self.leaveOut(name, Self.reason(name)) }
        self.archive.append(Array(text.utf8), as: name)
        self.lines.append("added     \(name), \(text.utf8.count) bytes")
    }

    private static func reason(_ name: String) -> String {
        switch name {
        case "agent.toml": "it does not exist, or cannot be read"
        case "journal.txt": "there is none, or it cannot be read. Try: sudo, or the group systemd-journal"
        default: "the agent has not written it, or it cannot be read"
        }
    }

    /// The whole archive.
    var bytes: [UInt8] {
        var archive = self.archive
        archive.append(Array((self.note + [""]).joined(separator: "\n").utf8), as: "README.txt")
        return archive.bytes
    }

    private var note: [String] {
        var note = ["Files that obd-agent \(AgentVersion.current) has put into this archive:", ""]
        note += self.lines + [""]
        guard let words else { return note + Self.unredacted }
        note += ["Replaced by the word given here, VINs and hardware addresses by X and 0, wherever it was found:", ""]
        if words.counts.isEmpty { note.append("  nothing") }
        note += words.counts.sorted { $0.key < $1.key }.map { "  \($0.value) x \($0.key)" }
        return note + Self.remaining
    }

    private static let unredacted = [
        "Replaced: values of the configuration that sound like secrets, and users in URLs. Nothing else: the VIN, names",
        "and addresses are in it as they are. \"obd-agent diagnose --redact\" replaces them.",
    ]

    private static let remaining = [
        "",
        "The dialogue has X and 0 in replies with the VIN, or a serial number of the engine or of an ECU.",
        "Comments of the configuration are left out.",
        "",
        "These remain, and may tell something about a vehicle or its driver:",
        "",
        "  the times at which the vehicle was in use, and its values",
        "  calibration ids and verification numbers, names of ECUs, trouble codes: many vehicles have the same",
        "  answers to requests of manufacturers, and to raw requests: the agent does not know what they mean",
        "  the adapter's name and version",
        "  IP addresses in the journal, versions of this machine's programs",
        "  names that stand neither in the configuration nor in the database: read the files.",
    ]
}
