// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// The signals of an OBDb signal set (`signalsets/v3`) that this agent can poll.
///
/// A value of an unexpected form makes the whole set an error. A valid signal that the agent cannot poll is skipped,
/// with the reason.
package struct SignalSetImport: Sendable {
    /// The largest file that is read, in bytes.
    package static let sizeLimit = 4 << 20
    /// The largest number of signals in one set.
    static let signalLimit = 2000
    private static let groupLimit = 256
    private static let depthLimit = 12

    /// A signal that was not imported.
    package struct Skipped: Hashable, Sendable {
        /// The signal's identifier in the set.
        package let name: String
        package let reason: String
        /// The kind of the reason.
        package let cause: SignalRefusal.Cause
    }

    /// The imported signals, in the order of the file.
    package private(set) var imported: [SignalEntry] = []
    package private(set) var skipped: [Skipped] = []
    /// Remarks about the set as a whole, each a phrase for people.
    package private(set) var notes: [String] = []
    /// The model year of the vehicle; nil for the signals of all years.
    package let year: Int?

    /// Reads a set.
    ///
    /// - Parameter year: the model year of the vehicle; nil imports the signals of all years.
    package init(_ bytes: [UInt8], year: Int? = nil) throws(SignalSetError) {
        self.year = year
        guard bytes.count <= Self.sizeLimit else { throw .tooLarge(limit: Self.sizeLimit) }
        let json: JSON
        do throws(JSONParsingError) {
            json = try JSON(parsing: bytes, depthLimit: Self.depthLimit)
        } catch {
            throw .notJSON(error)
        }
        try self.read(JSONNode(json: json, path: "$"))
    }

    /// The most signals that are proposed.
    private static let proposalLimit = 5

    /// The signals to select first: one for each role, in the order of the roles, or else the first of the set.
    package var proposed: [SignalEntry] {
        let signals = ParameterRole.allCases.compactMap { role in self.imported.first { $0.role?.role == role } }
        return signals.isEmpty ? Array(self.imported.prefix(1)) : Array(signals.prefix(Self.proposalLimit))
    }

    // MARK: - Requests

    /// A request that can be polled, with its signals.
    private struct Poll {
        let command: SignalCommand
        let destination: Destination?
        var signals: [Signal] = []

        /// Whether the adapter would answer the first frame of a long reply under a wrong header.
        ///
        /// By itself it takes the header from that of the reply.
        var needsFlowControl: Bool {
            guard let destination, !self.command.setsFlowControl else { return self.command.setsFlowControl }
            let derived = Destination(header: destination.header)
            return derived?.responder != destination.responder
                && self.signals.contains { self.command.isLong($0.format.byteCount, from: destination) }
        }
    }

    /// A signal of the set.
    private struct Signal {
        let id: String
        let node: JSONNode
        let format: SignalFormat
    }

    private mutating func read(_ root: JSONNode) throws(SignalSetError) {
        for key in try root.unknownKeys(["commands", "signalGroups", "synthetics", "diagnosticLevel"]) {
            self.notes.append("the unknown member $.\(key.prefix(bytes: 40)) was ignored")
        }
        if let level = try root.optional("diagnosticLevel") {
            self.notes.append(
                "the set needs diagnostic session \(try level.digits(2...2)), which this agent never opens: "
                    + "ECUs may not answer some signals"
            )
        }
        let nodes = try root.required("commands").elements
        if nodes.isEmpty {
            self.notes.append("the set has no requests: those of such a model are in the set of its make")
        }
        var commands: [(command: SignalCommand, signals: [JSONNode])] = []
        for node in nodes { commands.append((try SignalCommand(node), try node.required("signals").elements)) }
        guard commands.reduce(0, { $0 + $1.signals.count }) <= Self.signalLimit else {
            throw .tooMany(limit: Self.signalLimit)
        }
        let distances = Set(commands.compactMap(\.command.address.distance))
        let distance = distances.count == 1 ? distances.first : nil
        var polls: [Poll] = []
        var identifiers: [String] = []
        for (command, nodes) in commands {
            let ids = try nodes.map { (node) throws(SignalSetError) in try node.required("id").text }
            identifiers += ids
            do throws(SignalRefusal) {
                let destination = try command.destination(year: self.year, distance: distance)
                polls.append(Poll(command: command, destination: destination))
            } catch {
                for id in ids { self.skip(id, error) }
                continue
            }
            for (id, node) in zip(ids, nodes) {
                let format = try SignalFormat(try node.required("fmt"))
                polls[polls.count - 1].signals.append(Signal(id: id, node: node, format: format))
            }
        }
        let groups = try self.groups(root)
        try self.take(polls, groups, identifiers)
        for synthetic in try root.optional("synthetics")?.elements ?? [] {
            let refusal = SignalRefusal(.computed, "its value is computed from other signals")
            self.skip(try synthetic.required("id").text, refusal)
        }
    }

    private mutating func skip(_ name: String, _ refusal: SignalRefusal) {
        self.skipped.append(Skipped(name: name.prefix(bytes: 64), reason: refusal.reason, cause: refusal.cause))
    }

    // MARK: - Signals

    private static let signalKeys: Set<String> = [
        "id", "name", "hidden", "description", "fmt", "path", "suggestedMetric",
    ]

    /// Takes the signals that have a name and a formula.
    ///
    /// - Parameter identifiers: the identifiers of all signals of the set.
    private mutating func take(
        _ polls: [Poll],
        _ groups: [SignalGroup],
        _ identifiers: [String]
    ) throws(SignalSetError) {
        var names = SignalNames(identifiers)
        // The requests to one ECU have the same settings, so that the adapter keeps them from one to the next.
        let flowControlled = Set(polls.filter(\.needsFlowControl).map(\.destination))
        for poll in polls {
            let destination = poll.destination.flatMap { destination in
                Destination(
                    header: destination.header,
                    responder: destination.responder,
                    extendedAddress: destination.extendedAddress,
                    testerAddress: destination.testerAddress,
                    setsFlowControl: flowControlled.contains(destination),
                    timeout: poll.command.timeout
                )
            }
            for signal in poll.signals {
                let title = try signal.node.optional("name")?.text
                let metric = try signal.node.optional("suggestedMetric")?.text
                let path = try signal.node.optional("path")?.text
                let group = groups.first { $0.contains(signal.id) }?.name
                do throws(SignalRefusal) {
                    if let unknown = Self.unknownKey(of: signal.node) {
                        throw SignalRefusal(.unknownKey, "it has the unknown key \"\(unknown.prefix(bytes: 40))\"")
                    }
                    if let refusal = signal.format.refusal { throw refusal }
                    if self.has(signal, poll.command, destination) {
                        throw SignalRefusal(.repeated, "an earlier signal is the same")
                    }
                    let name = try names.next(for: signal.id)
                    self.imported.append(
                        SignalEntry(
                            name: name,
                            identifier: signal.id,
                            title: title,
                            place: [path, group].compactMap(\.self),
                            command: poll.command,
                            destination: destination,
                            format: signal.format,
                            role: self.role(metric, of: name, signal.format)
                        )
                    )
                } catch {
                    self.skip(signal.id, error)
                }
            }
        }
    }

    private static func unknownKey(of signal: JSONNode) -> String? {
        guard case .object(let members) = signal.json else { return nil }
        return members.keys.filter { !Self.signalKeys.contains($0) }.min()
    }

    /// Whether the same signal of the same request was imported.
    private func has(_ signal: Signal, _ command: SignalCommand, _ destination: Destination?) -> Bool {
        self.imported.contains { entry in
            entry.identifier == signal.id && entry.command.request == command.request
                && entry.destination == destination && entry.format == signal.format
        }
    }

    /// Returns the role of a signal; nil if its metric has none, or if its values do not fit the role.
    private mutating func role(_ metric: String?, of name: String, _ format: SignalFormat) -> SignalRole? {
        guard let metric, let role = SignalRole.roles[metric] else { return nil }
        if let fitting = SignalRole(role, format) { return fitting }
        let expected = role.isTruth ? "labels that tell yes from no" : role.units.joined(separator: " or ")
        self.notes.append("\(name) got no role: \(role.rawValue) needs \(expected)")
        return nil
    }

    private mutating func groups(_ root: JSONNode) throws(SignalSetError) -> [SignalGroup] {
        var groups: [SignalGroup] = []
        guard let list = try root.optional("signalGroups") else { return [] }
        let nodes = try list.elements
        guard nodes.count <= Self.groupLimit else { throw list.error("at most \(Self.groupLimit) groups") }
        for node in nodes {
            guard let group = try SignalGroup(node) else {
                let id = try node.required("id").text
                self.notes.append("the group \(id.prefix(bytes: 64)) was ignored: its pattern has an unknown form")
                continue
            }
            groups.append(group)
        }
        return groups
    }
}

extension [SignalSetImport.Skipped] {
    /// The numbers of skipped signals by the kind of the reason, the greatest first.
    package var counts: [(cause: SignalRefusal.Cause, count: Int)] {
        SignalRefusal.Cause.allCases
            .map { cause in (cause, self.count { $0.cause == cause }) }
            .filter { $0.count > 0 }
            .sorted { $0.count > $1.count }
    }
}
