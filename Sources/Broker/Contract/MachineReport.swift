// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The state of the machine that the agent runs on, as its kernel reports it: a member of `status`.
package struct MachineReport: Encodable, Hashable, Sendable {
    /// The temperature of the processor, in °C.
    package var cpuTemperature: Double?
    /// Whether the machine's supply voltage is too low, or was too low some seconds ago.
    package var underVoltage: Bool?
    /// The present reasons for throttling.
    package var throttling: [Throttle]?
    /// The reasons for throttling since the machine started.
    package var throttlingSinceBoot: [Throttle]?

    private enum CodingKeys: String, CodingKey {
        case throttling
        case cpuTemperature = "cpu_temperature"
        case underVoltage = "under_voltage"
        case throttlingSinceBoot = "throttling_since_boot"
    }

    /// The reasons for throttling of a Raspberry Pi's firmware, in the order of the bits of `get_throttled`.
    package enum Throttle: String, CaseIterable, Encodable, Hashable, Sendable {
        case underVoltage = "under_voltage"
        /// The firmware limits the processor's clock frequency.
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

    /// Whether the report has no values.
    package var isEmpty: Bool { self == MachineReport() }
}
