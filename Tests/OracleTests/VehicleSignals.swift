// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import OBD2
import SignalSets

/// The signals of a model and a model year, as the agent polls them: imported, written as TOML, and read from there.
struct VehicleSignals {
    /// The imported signals by their identifier in the set; several where they are alternatives.
    private let entries: [String: [SignalEntry]]
    /// The parameters by their name in the configuration.
    private let parameters: [String: CustomParameter]
    /// The kinds of reasons of the skipped signals, by their identifier in the set.
    private let skipped: [String: SignalRefusal.Cause]
    /// The names of the states of each enumeration, by the identifier of its signal.
    private let states: [String: [Int: Set<String>]]

    /// An imported signal.
    struct Signal {
        let entry: SignalEntry
        let parameter: CustomParameter
        let request: CustomRequest
    }

    /// - Throws: if the set cannot be imported, or the configuration refuses what was imported.
    init(_ set: [UInt8], year: Int) throws {
        let signals = try SignalSetImport(set, year: year)
        let toml = Array(signals.toml(source: "a recording", isSelected: true).utf8)
        let text = "[mqtt]\nurl = \"mqtt://localhost\"\n[parameters]\nsets = [\"/set.toml\"]\n"
        let configuration = try Configuration(toml: Array(text.utf8), file: "agent.toml") { _ in
            [SourceFile(name: "set.toml", bytes: toml)]
        }
        self.entries = Dictionary(grouping: signals.imported, by: \.identifier)
        self.parameters = Dictionary(uniqueKeysWithValues: configuration.custom.map { ($0.name, $0) })
        self.skipped = Dictionary(signals.skipped.map { ($0.name, $0.cause) }) { first, _ in first }
        self.states = Self.states(in: JSON(payload: set))
    }

    /// Returns the parameter of a signal that a request asks for; nil if there is none.
    ///
    /// A signal that stands in several requests has a parameter for each.
    func signal(_ id: String, _ payload: [UInt8]) -> Signal? {
        for entry in self.entries[id] ?? [] {
            if let parameter = self.parameters[entry.name], let request = parameter.request, request.payload == payload
            {
                return Signal(entry: entry, parameter: parameter, request: request)
            }
        }
        return nil
    }

    /// Returns the kind of reason for which a signal was not imported; nil if the set does not have it.
    func refusal(of id: String) -> SignalRefusal.Cause? { self.skipped[id] }

    /// Whether the set calls a state of a signal by this name.
    func isState(_ code: Int, _ name: String, of id: String) -> Bool {
        self.states[id]?[code]?.contains(name) ?? false
    }

    /// Returns the names of the states of each enumeration.
    private static func states(in set: JSON) -> [String: [Int: Set<String>]] {
        var states: [String: [Int: Set<String>]] = [:]
        for signal in set["commands"].elements.flatMap(\.["signals"].elements) {
            let ofSignal = Self.states(of: signal["fmt"])
            if let id = signal["id"].string, !ofSignal.isEmpty { states[id] = ofSignal }
        }
        return states
    }

    /// Returns the names of the states of a format, by number; a state may have a short and a long name.
    static func states(of format: JSON) -> [Int: Set<String>] {
        var states: [Int: Set<String>] = [:]
        for (code, state) in format["map"].members {
            let names = [state.string, state["value"].string, state["description"].string].compactMap(\.self)
            if let code = Int(code) { states[code] = Set(names) }
        }
        return states
    }
}
