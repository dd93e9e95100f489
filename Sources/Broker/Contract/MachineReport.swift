// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// How the machine is that the agent runs on, as far as its kernel tells: a member of `status`.
package struct MachineReport: Encodable, Hashable, Sendable {
    /// In °C.
    package var cpuTemperature: Double?
    /// Whether its supply is too weak at the moment, or was some seconds ago.
    package var underVoltage: Bool?
    /// What slows it down at the moment, and what did so since it was started.
    package var throttling: [Throttle]?
    package var throttlingSinceBoot: [Throttle]?

    private enum CodingKeys: String, CodingKey {
        case throttling
        case cpuTemperature = "cpu_temperature"
        case underVoltage = "under_voltage"
        case throttlingSinceBoot = "throttling_since_boot"
    }

    /// What a Raspberry Pi's firmware says of itself, each a bit of `get_throttled`, in their order.
    package enum Throttle: String, CaseIterable, Encodable, Hashable, Sendable {
        case underVoltage = "under_voltage"
        /// The processor may not go as fast as it could.
        case frequencyCapped = "frequency_capped"
        case throttled
        case softTemperatureLimit = "soft_temperature_limit"
    }

    package init(
        cpuTemperature: Double? = nil,
        underVoltage: Bool? = nil,
        throttling: [Throttle]? = nil,
        throttlingSinceBoot: [Throttle]? = nil
    ) {
        self.cpuTemperature = cpuTemperature
        self.underVoltage = underVoltage
        self.throttling = throttling
        self.throttlingSinceBoot = throttlingSinceBoot
    }

    /// Whether it tells nothing.
    package var isEmpty: Bool { self == MachineReport() }
}
