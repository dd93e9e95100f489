// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Base
import CommandLine
import Contract
import ELM327

/// The results of the adapter test, as text and as JSON.
struct AdapterFacts {
    var report: AdapterReport
    /// Whether a vehicle answered through it.
    let hasVehicle: Bool
    /// The adapter's texts about itself, by command.
    var texts: [(command: String, reply: [String])] = []
    /// The replies to the commands that a version of the ELM327 introduced.
    var versions: [(version: String, command: String, reply: [String])] = []
    /// The median time of a request.
    var roundTrip: Duration?
    /// The bytes to and from an adapter that was not understood; empty for any other.
    var dialogue: [String] = []

    init(_ report: AdapterReport, hasVehicle: Bool) {
        self.report = report
        self.hasVehicle = hasVehicle
    }

    private var assessments: [(Capability, Assessment)] {
        Capability.allCases.compactMap { capability in self.report.assessments[capability].map { (capability, $0) } }
    }

    /// The commands of newer versions, and whether the adapter knows them.
    private var known: [(version: String, command: String, isKnown: Bool)] {
        self.versions.map { ($0.version, $0.command, !$0.reply.isEmpty && $0.reply.last != "?") }
    }

    /// The faults of the adapter's replies, in a sentence each.
    private var oddities: [String] {
        let forms: [(ReplyForm, String)] = [
            (.echo, "commands are echoed, although that was switched off"),
            (.linefeeds, "line feeds end its lines, although that was switched off"),
            (.nulBytes, "NUL bytes stand between its characters"),
            (.garbage, "its replies hold bytes that are no text"),
            (.earlyPrompt, "a prompt comes before the reply"),
        ]
        return forms.filter { self.report.forms.contains($0.0) }.map(\.1)
    }

    // MARK: - Text

    var lines: [String] {
        var head = TextTable()
        head.append(["Agent", "obd-agent \(AgentVersion.current)"])
        head.append(["Adapter", self.report.identity.isEmpty ? "unknown" : self.report.identity])
        if let firmware = self.report.firmware { head.append(["Chip", firmware]) }
        for (command, reply) in self.texts { head.append([command, reply.joined(separator: " / ")]) }
        for (title, isKnown) in [("Knows", true), ("Lacks", false)] {
            let commands = self.known.filter { $0.isKnown == isKnown }.map { "\($0.command) (v\($0.version))" }
            if !commands.isEmpty { head.append([title, commands.joined(separator: ", ")]) }
        }
        head.append([
            "Bus", self.hasVehicle ? "\(self.report.bus.title), \(self.report.ecus.count) ECUs" : "no vehicle",
        ])
        if let volts = self.report.voltage { head.append(["Voltage", "\(volts) V"]) }
        if let time = self.roundTrip { head.append(["Request", "\(time.milliseconds) ms (median)"]) }
        if !self.report.unsupported.isEmpty {
            head.append(["Refuses", self.report.unsupported.joined(separator: " ")])
        }
        for oddity in self.oddities { head.append(["Fault", oddity]) }

        var capabilities = TextTable()
        for (capability, assessment) in self.assessments {
            capabilities.append([capability.title, assessment.verdict.title, assessment.remark].filter { !$0.isEmpty })
        }
        var evidence = ["Evidence"]
        for (capability, assessment) in self.assessments where !assessment.evidence.isEmpty {
            evidence.append("  \(capability.title)")
            for item in assessment.evidence {
                let reply = item.reply.joined(separator: " / ")
                evidence.append("    \(item.request) -> \(reply) (\(item.duration.milliseconds) ms)")
            }
        }
        let dialogue = self.dialogue.isEmpty ? [] : ["", "Dialogue"] + self.dialogue.map { "  \($0)" }
        return head.lines + [""] + capabilities.lines + [""] + evidence + dialogue
    }

    // MARK: - JSON

    var json: JSON {
        let capabilities = self.assessments.map { capability, assessment -> JSON in
            [
                "capability": .string(capability.rawValue), "verdict": .string(assessment.verdict.title),
                "remark": assessment.remark.isEmpty ? .null : .string(assessment.remark),
                "evidence": .array(
                    assessment.evidence.map { item -> JSON in
                        [
                            "request": .string(item.request), "reply": .array(item.reply.map { .string($0) }),
                            "milliseconds": .integer(item.duration.milliseconds),
                        ]
                    }
                ),
            ]
        }
        return [
            "agent": .string(AgentVersion.current), "identity": .string(self.report.identity),
            "firmware": self.report.firmware.map { .string($0) } ?? .null,
            "texts": .array(
                self.texts.map { text -> JSON in
                    ["command": .string(text.command), "reply": .array(text.reply.map { .string($0) })]
                }
            ),
            "versions": .array(
                self.known.map { version -> JSON in
                    [
                        "version": .string(version.version), "command": .string(version.command),
                        "known": .bool(version.isKnown),
                    ]
                }
            ),
            "protocol": self.hasVehicle ? .string(self.report.bus.title) : .null,
            "voltage": self.report.voltage.map { .number($0) } ?? .null,
            "round_trip_milliseconds": self.roundTrip.map { .integer($0.milliseconds) } ?? .null,
            "unsupported": .array(self.report.unsupported.map { .string($0) }),
            "oddities": .array(self.oddities.map { .string($0) }), "capabilities": .array(capabilities),
            "dialogue": .array(self.dialogue.map { .string($0) }),
        ]
    }
}

extension Capability {
    /// The name of the capability in words.
    var title: String { self.rawValue.split(separator: "_").joined(separator: " ") }
}

extension Verdict {
    fileprivate var title: String {
        switch self {
        case .works: "works"
        case .ignored: "ignored"
        case .refused: "refused"
        case .notTested: "not tested"
        }
    }
}

extension Assessment {
    /// The details besides the verdict.
    fileprivate var remark: String {
        if case .notTested(let reason) = self.verdict { return reason }
        return self.note ?? ""
    }
}
