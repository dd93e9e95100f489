// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// An ECU of the vehicle, with its in-use performance.
struct ECUView: Hashable, Sendable {
    /// The largest number of ECUs, and of the monitors of one.
    private static let (limit, monitorLimit) = (32, 64)

    /// A monitor with the counts of its runs and of the occasions for one.
    struct Monitor: Hashable, Sendable {
        let name: String
        let completions: UInt64
        let conditions: UInt64
        /// Missing if the conditions never occurred.
        let ratio: Double?
    }

    let id: String
    /// The name that the ECU tells; nil if it has none.
    let name: String?
    /// The identifiers of its software.
    let calibrations: [String]
    let monitors: [Monitor]
    /// The number of times that the ignition was switched on; nil without in-use performance.
    let ignitionCycles: UInt64?

    /// Returns the ECUs of the payload of `vehicle`.
    static func list(_ vehicle: JSON) -> [ECUView] {
        vehicle["ecus"].elements.prefix(Self.limit).compactMap(ECUView.init)
    }

    private init?(_ json: JSON) {
        guard let id = json["ecu"].string else { return nil }
        self.id = Printable.text(id.prefix(bytes: 16))
        self.name = json["name"].string.map { Printable.text($0.prefix(bytes: 60)) }
        self.calibrations = json["calibration_ids"].elements.prefix(16).compactMap(\.string)
            .map { Printable.text($0.prefix(bytes: 32)) }
        let performance = json["in_use_performance"]
        self.ignitionCycles = performance["ignition_cycles"].count
        self.monitors = performance["monitors"].members.prefix(Self.monitorLimit).compactMap { name, state in
            guard let completions = state["completions"].count, let conditions = state["conditions"].count else {
                return nil
            }
            return Monitor(
                name: Printable.text(CodeView.phrase(name.prefix(bytes: 60))),
                completions: completions,
                conditions: conditions,
                ratio: state["ratio"].double
            )
        }
    }
}
