// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The body of a record of `telemetry`: samples of some seconds, as differences.
package struct Telemetry: Encodable, Hashable, Sendable {
    /// The boot of the machine in which the samples were read.
    package var boot: String
    package var clock: ClockQuality
    /// The time that the first `dt` of each series counts from.
    package var t0: Timestamp
    /// By parameter; `<name>/<ecu>` for an ECU that is not the primary one.
    package var series: [String: Series]

    /// The samples of one parameter.
    ///
    /// The n-th value is `scale` times the sum of the first n of `dv`.
    package struct Series: Encodable, Hashable, Sendable {
        package var ecu: String
        /// The step of the values, in the parameter's unit.
        package var scale: Double
        /// Milliseconds since the sample before; of the first, since `t0`.
        package var dt: [Int64]
        /// Steps since the sample before; of the first, since zero.
        package var dv: [Int64]

        package init(ecu: String, scale: Double, dt: [Int64] = [], dv: [Int64] = []) {
            self.ecu = ecu
            self.scale = scale
            self.dt = dt
            self.dv = dv
        }
    }

    package init(boot: String, clock: ClockQuality, t0: Timestamp, series: [String: Series]) {
        self.boot = boot
        self.clock = clock
        self.t0 = t0
        self.series = series
    }
}
