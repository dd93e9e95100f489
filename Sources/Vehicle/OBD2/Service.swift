// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A diagnostic service of SAE J1979 / ISO 15031-5 ("mode" in older texts).
package enum Service: UInt8, Sendable, Hashable, CaseIterable {
    /// Live data, by PID.
    case currentData = 0x01
    /// The values that an ECU stored together with a code.
    case freezeFrame = 0x02
    /// The confirmed codes, which may light the MIL.
    case confirmedCodes = 0x03
    /// Clears codes, freeze frames and readiness.
    case clearCodes = 0x04
    /// Oxygen sensor test results; not used on CAN.
    case oxygenSensorTests = 0x05
    /// Results of the on-board monitors' tests.
    case monitorTests = 0x06
    /// The codes detected in this driving cycle or the last one.
    case pendingCodes = 0x07
    /// Control of an on-board system.
    case control = 0x08
    /// VIN, calibrations, names, in-use counters.
    case vehicleInformation = 0x09
    /// Codes that only the ECU itself can erase.
    case permanentCodes = 0x0A

    /// The first byte of a positive reply: the service plus 0x40.
    package var positiveResponse: UInt8 {
        self.rawValue | 0x40
    }
}
