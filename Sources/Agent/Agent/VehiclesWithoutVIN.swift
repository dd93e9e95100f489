// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The known vehicles without a VIN, with the marks of their ECUs: calibrations, or supported PIDs.
///
/// ECUs may sleep, as most do in a charge. So a vehicle that shows some ECUs of a known vehicle, and each with the same
/// marks, is that vehicle. An ECU with other marks shows that it is another one.
struct VehiclesWithoutVIN: Sendable {
    /// A known vehicle.
    struct Vehicle: Hashable, Sendable {
        /// The mark by which the store knows the vehicle.
        let mark: String
        /// The marks of all ECUs that have ever answered, by ECU; empty if they are not known.
        var ecus: [String: [String]]
    }

    /// The largest number of vehicles.
    static let limit = 64

    /// The vehicles, the one that was identified last first.
    private var vehicles: [Vehicle] = []
    /// The vehicle of the present session, with the ECUs that have answered in it; nil until it is identified.
    private var present: Vehicle?

    /// Takes over the vehicles of earlier processes, the one that was identified last first.
    mutating func restore(_ vehicles: [Vehicle]) { self.vehicles = Array(vehicles.prefix(Self.limit)) }

    /// Returns the mark of the vehicle with these ECUs.
    ///
    /// - Parameter own: the mark of a vehicle that no other ECUs are known of.
    func mark(of ecus: [String: [String]], own: String) -> String {
        guard !ecus.isEmpty else { return own }
        if let known = self.vehicles.first(where: { Self.contains($0.ecus, ecus) }) { return known.mark }
        guard !self.vehicles.contains(where: { $0.mark == own }), let present else { return own }
        // The session proves that the vehicle is still the same, so an ECU that was not there has only woken.
        let known = self.vehicles.first { $0.mark == present.mark }?.ecus ?? [:]
        return Self.contains(ecus, present.ecus) && Self.agree(ecus, known) ? present.mark : own
    }

    /// Returns the ECUs of the vehicle with this mark that are not among those that answer, sorted.
    func silent(of mark: String, answering ecus: [String: [String]]) -> [String] {
        guard !ecus.isEmpty, let known = self.vehicles.first(where: { $0.mark == mark }) else { return [] }
        return known.ecus.keys.filter { ecus[$0] == nil }.sorted()
    }

    /// Takes over the ECUs of the vehicle that was identified.
    ///
    /// - Returns: the marks of all its ECUs.
    mutating func identified(as mark: String, _ ecus: [String: [String]]) -> [String: [String]] {
        let known = self.vehicles.first { $0.mark == mark }?.ecus ?? [:]
        let merged = known.merging(ecus) { $1 }
        self.present = Vehicle(mark: mark, ecus: ecus)
        self.vehicles.removeAll { $0.mark == mark }
        self.vehicles.insert(Vehicle(mark: mark, ecus: merged), at: 0)
        self.vehicles.removeLast(max(0, self.vehicles.count - Self.limit))
        return merged
    }

    /// Another session begins, maybe with another vehicle.
    mutating func sessionEnded() { self.present = nil }

    /// Whether all of `part` are in `whole`, with the same marks.
    private static func contains(_ whole: [String: [String]], _ part: [String: [String]]) -> Bool {
        part.allSatisfy { whole[$0.key] == $0.value }
    }

    /// Whether no ECU has different marks in both.
    private static func agree(_ one: [String: [String]], _ other: [String: [String]]) -> Bool {
        one.allSatisfy { ecu, marks in other[ecu].map { $0 == marks } ?? true }
    }
}

// MARK: - The stored form

extension VehiclesWithoutVIN.Vehicle {
    /// Restores a vehicle; without ECUs if the form is missing or damaged.
    init(mark: String, stored: [UInt8]?) {
        let ecus = JSON(payload: stored ?? [])["ecus"].members.map { ($0.key, $0.value.elements.compactMap(\.string)) }
        self.init(mark: mark, ecus: Dictionary(ecus.filter { !$0.1.isEmpty }) { $1 })
    }

    /// The stored form of the marks of ECUs.
    static func stored(_ ecus: [String: [String]]) -> [UInt8] {
        let ecus = ecus.mapValues { JSON.array($0.map(JSON.string)) }
        return Array((["ecus": .object(ecus)] as JSON).text.utf8)
    }
}
