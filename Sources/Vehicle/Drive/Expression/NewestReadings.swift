// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import OBD2

/// The newest reading of each value, which counts until it is too old.
package struct NewestReadings: Sendable {
    /// The largest age at which a reading without an age of its own counts.
    package var maximumAge: Duration
    /// The newest readings, by name; the names of values are as bounded as the catalogue and the configuration.
    private var readings: [String: Reading] = [:]

    package init(maximumAge: Duration = .seconds(30)) {
        self.maximumAge = maximumAge
    }

    /// Takes over readings; an older one does not replace a newer one.
    package mutating func receive(_ readings: [Reading]) {
        for reading in readings {
            if let known = self.readings[reading.name], known.time > reading.time { continue }
            self.readings[reading.name] = reading
        }
    }

    /// Returns the newest reading of a value; nil if there is none or it is too old.
    ///
    /// - Parameter maximumAge: the age at which the reading still counts; nil for the default.
    package func reading(_ name: String, at now: MonotonicTime, maximumAge: Duration? = nil) -> Reading? {
        guard let reading = self.readings[name], now - reading.time <= maximumAge ?? self.maximumAge else { return nil }
        return reading
    }

    /// Returns the newest value of this name, or with this role, in the usual unit of the role.
    ///
    /// A value with the name counts before the values with the role, and of these a custom one before one of the catalogue.
    ///
    /// - Parameter maximumAge: the age at which the reading still counts; nil for the default.
    /// - Returns: nil if there is none or it is too old.
    package func value(_ name: String, at now: MonotonicTime, maximumAge: Duration? = nil) -> Double? {
        if let reading = self.reading(name, at: now, maximumAge: maximumAge) { return reading.value }
        guard let role = ParameterRole(rawValue: name), self.readings[name] == nil else { return nil }
        let candidates = self.readings.values.filter { $0.role == role }
        let isFirst = { (left: Reading, right: Reading) in
            let (first, second) = (
                Parameter.named(left.name) == nil ? 0 : 1, Parameter.named(right.name) == nil ? 0 : 1
            )
            return (first, left.name) < (second, right.name)
        }
        guard let first = candidates.min(by: isFirst),
            let reading = self.reading(first.name, at: now, maximumAge: maximumAge)
        else { return nil }
        return reading.usualValue
    }

    /// Forgets all readings, as those of another vehicle.
    package mutating func clear() { self.readings = [:] }
}
