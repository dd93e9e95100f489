// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// A value of one ECU in whole steps, as the ring of a capture keeps it.
package struct CaptureReading: Hashable, Sendable {
    package var source: CaptureSource
    /// The value in steps of the source's scale.
    package var steps: Int64
    package var time: MonotonicTime

    package init(_ source: CaptureSource, steps: Int64, at time: MonotonicTime) {
        self.source = source
        self.steps = steps
        self.time = time
    }

    /// The value as the machines of a drive take it.
    var reading: Reading {
        let value = Double(self.steps) * self.source.scale
        return Reading(self.source.name, role: self.source.role, value, self.source.unit, at: self.time)
    }
}

/// The source of a series of readings: the name of the value, and the ECU that reports it.
package struct CaptureSource: Hashable, Sendable {
    package var name: String
    package var ecu: String
    /// Whether the name alone identifies the value: the primary ECU reports it, or no other ECU can.
    package var isPrimary: Bool
    /// The step of the values, in the metric unit.
    package var scale: Double
    /// The meaning of the value; nil if the agent knows none.
    package var role: ParameterRole?
    /// The symbol of the metric unit; nil if the value has none.
    package var unit: String?

    package init(
        _ name: String,
        ecu: String,
        isPrimary: Bool = true,
        scale: Double = 1,
        role: ParameterRole? = nil,
        unit: String? = nil
    ) {
        self.name = name
        self.ecu = ecu
        self.isPrimary = isPrimary
        self.scale = scale
        self.role = role
        self.unit = unit
    }

    /// The name in records; `<name>/<ecu>` for an ECU that is not the primary one.
    package var series: String { self.isPrimary ? self.name : "\(self.name)/\(self.ecu)" }
}
