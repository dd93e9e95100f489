// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The body of a record of `telemetry`: the samples of some seconds, and parts of the track, as differences.
///
/// The first `dt` of each series counts from the record's own time, `t0`.
package struct Telemetry: Encodable, Hashable, Sendable {
    /// The series by parameter name, or by `<name>/<ecu>` for an ECU other than the primary one.
    package var series: [String: Series]
    /// The part of the vehicle's track that was ready with the batch; nil if there is none.
    package var track: Track?

    /// The samples of one parameter.
    ///
    /// The n-th value is `scale` times the sum of the first n of `dv`.
    package struct Series: Encodable, Hashable, Sendable {
        package var ecu: String
        /// The step of the values, in the parameter's unit.
        package var scale: Double
        /// The milliseconds since the previous sample; for the first sample, since `t0`.
        package var dt: [Int64]
        /// The steps since the previous value; for the first value, since zero.
        package var dv: [Int64]

        package init(ecu: String, scale: Double, dt: [Int64] = [], dv: [Int64] = []) {
            self.ecu = ecu
            self.scale = scale
            self.dt = dt
            self.dv = dv
        }
    }

    package init(series: [String: Series], track: Track? = nil) {
        self.series = series
        self.track = track
    }

    /// Reads the encoded form; nil if `json` is not telemetry.
    package init?(_ json: JSON) {
        guard case .object(let members) = json, case .object(let parts) = members["series"] else { return nil }
        var series: [String: Series] = [:]
        for (name, part) in parts {
            guard case .object(let part) = part, case .string(let ecu) = part["ecu"],
                let scale = part["scale"]?.double, let dt = part["dt"]?.integers, let dv = part["dv"]?.integers,
                dt.count == dv.count
            else { return nil }
            series[name] = Series(ecu: ecu, scale: scale, dt: dt, dv: dv)
        }
        self.init(series: series, track: members["track"].flatMap { Track($0) })
    }
}

extension JSON {
    /// The elements of an array of integers; nil for any other value.
    var integers: [Int64]? {
        guard case .array(let elements) = self else { return nil }
        var integers: [Int64] = []
        integers.reserveCapacity(elements.count)
        for element in elements {
            guard case .integer(let integer) = element else { return nil }
            integers.append(integer)
        }
        return integers
    }
}
