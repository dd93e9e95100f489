// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The data beside the records that is not on the disk yet.
struct UnwrittenMemory: Sendable {
    /// The last response to each command; bounded by ``CommandTable/limit``.
    private var commands: [String: CommandEntry] = [:]
    private(set) var vehicles: [VehicleEntry] = []
    /// The bodies of the vehicles' states, by kind and vehicle.
    private(set) var states: [StoredState.Kind: [String: [UInt8]]] = [:]
    private(set) var findings: [FindingEntry] = []
    private(set) var values: [LastValue.Key: LastValue] = [:]
    /// All announcements; nil if those on the disk are still valid.
    var announced: [AnnouncedEntry]?
    var traffic: DayTraffic?
    /// The change of the event that is still being made; nil if the disk has its present state.
    var eventDraft: EventDraftChange?
    var captures: DayCaptures?

    /// A change of the event that is still being made.
    enum EventDraftChange: Hashable, Sendable {
        case write(Store.Draft)
        /// The event is complete.
        case remove
    }

    /// Whether nothing is worth a commit.
    ///
    /// Values, traffic and the numbers of captures are written with other data.
    var isEmpty: Bool {
        self.commands.isEmpty && self.vehicles.isEmpty && self.states.isEmpty && self.findings.isEmpty
            && self.announced == nil && self.eventDraft == nil
    }

    func response(to id: String) -> [UInt8]? { self.commands[id]?.response }

    /// Returns the number of commands that must not be deleted yet.
    ///
    /// - Parameter date: the latest date that has certainly passed.
    func pinnedCommands(at date: Timestamp) -> Int {
        self.commands.values.count { $0.until.map { $0 > date } ?? false }
    }

    mutating func add(_ command: CommandEntry) {
        var command = command
        if command.until == nil { command.until = self.commands[command.id]?.until }
        self.commands[command.id] = command
        // A command with a date of expiry is deleted last.
        func isDeletedBefore(_ one: CommandEntry, _ other: CommandEntry) -> Bool {
            (one.until == nil ? 0 : 1, one.at) < (other.until == nil ? 0 : 1, other.at)
        }
        guard self.commands.count > Int(CommandTable.limit), let first = self.commands.values.min(by: isDeletedBefore)
        else { return }
        self.commands[first.id] = nil
    }

    mutating func add(_ vehicle: VehicleEntry) {
        self.vehicles.removeAll { $0.name == vehicle.name }
        self.vehicles.append(vehicle)
        self.vehicles.removeFirst(max(0, self.vehicles.count - Int(VehicleTables.limit)))
    }

    /// Keeps a vehicle's state, and drops that of another vehicle if there are too many of its kind.
    mutating func set(_ state: StoredState, of vehicle: String) {
        var bodies = self.states.removeValue(forKey: state.kind) ?? [:]
        bodies[vehicle] = state.body
        if bodies.count > Int(VehicleTables.limit), let other = bodies.keys.first(where: { $0 != vehicle }) {
            bodies[other] = nil
        }
        self.states[state.kind] = bodies
    }

    mutating func add(_ finding: FindingEntry) {
        self.findings.append(finding)
        self.findings.removeFirst(max(0, self.findings.count - Int(FindingEntry.limit)))
    }

    mutating func add(_ values: [LastValue]) {
        for value in values where self.values[value.key] != nil || self.values.count < LastValue.limit {
            self.values[value.key] = value
        }
    }

    func fill(_ batch: inout StoreFile.Batch) {
        batch.commands = self.commands.values.sorted { $0.at < $1.at }
        (batch.vehicles, batch.states, batch.traffic) = (self.vehicles, self.states, self.traffic)
        (batch.announced, batch.eventDraft, batch.captures) = (self.announced, self.eventDraft, self.captures)
        (batch.findings, batch.values) = (self.findings, Array(self.values.values))
    }
}
