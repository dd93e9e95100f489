// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// An ECU of the simulated vehicle that answers OBD-II requests.
package enum ECU: UInt8, CaseIterable, Hashable, Sendable {
    case engine
    case transmission
    case brakes
    /// The ECU of an electric motor.
    case motor
    /// The ECU of the traction battery.
    case battery

    /// The address of the ECU on J1850, ISO 9141-2, KWP and 29-bit CAN.
    package var address: UInt8 {
        switch self {
        case .engine: 0x10
        case .transmission: 0x18
        case .brakes: 0x28
        case .motor: 0x01
        case .battery: 0x05
        }
    }

    /// The identifier of the ECU's replies on 11-bit CAN.
    ///
    /// The identifier of requests to it is eight less.
    package var identifier: UInt32 { 0x7E8 + UInt32(self.rawValue) }

    /// Returns the CAN identifier of the ECU's replies.
    func identifier(extended: Bool) -> UInt32 { extended ? 0x18DA_F100 | UInt32(self.address) : self.identifier }

    /// The name that service 09 reports.
    var name: VehicleInformation.ECUName {
        switch self {
        case .engine: VehicleInformation.ECUName(acronym: "ECM", name: "EngineControl")
        case .transmission: VehicleInformation.ECUName(acronym: "TCM", name: "TransmisCtrl")
        case .brakes: VehicleInformation.ECUName(acronym: "ABS", name: "AntiLockBrakes")
        case .motor: VehicleInformation.ECUName(acronym: "DMCM", name: "DriveMotorCtrl")
        case .battery: VehicleInformation.ECUName(acronym: "BECM", name: "B+EnergyCtrl")
        }
    }
    var calibrationID: String {
        switch self {
        case .engine: "SIM16MPI00420A"
        case .transmission: "SIM6AT000117C"
        case .brakes: "SIMABS900006"
        case .motor: "SIMDMC020012"
        case .battery: "SIMBEC640031"
        }
    }
    var calibrationVerificationNumber: UInt32 {
        switch self {
        case .engine: 0x1791_BC82
        case .transmission: 0x5CF1_0A3E
        case .brakes: 0x00A6_71D4
        case .motor: 0x30D1_77E2
        case .battery: 0x8B02_C95F
        }
    }

    /// Returns the ECU that stores `code`.
    ///
    /// P07xx and P08xx belong to the transmission (SAE J2012), P0Axx to the traction battery, C codes to the brakes.
    /// All other codes belong to the first ECU, and so do those of an ECU that is not among `ecus`.
    package static func owner(of code: DTC, among ecus: [ECU]) -> ECU {
        let wanted: ECU =
            switch code.rawValue >> 8 {
            case 0x07...0x08: .transmission
            case 0x0A: .battery
            case 0x40...0x7F: .brakes
            default: .engine
            }
        return ecus.contains(wanted) ? wanted : ecus.first ?? .engine
    }
}

/// A message with which an ECU answers a request.
package struct ECUMessage: Hashable, Sendable {
    package let ecu: ECU
    /// The time from the request to this message.
    package let delay: Duration
    /// The payload, service byte first.
    package let message: [UInt8]

    package init(ecu: ECU, delay: Duration, message: [UInt8]) {
        self.ecu = ecu
        self.delay = delay
        self.message = message
    }
}

/// A message that an ECU put on the bus.
package struct LoggedMessage: Hashable, Sendable {
    package let ecu: ECU
    /// The time at which the message, or its first frame, was on the bus.
    package let time: MonotonicTime
    /// The payload, service byte first.
    package let bytes: [UInt8]
}

/// The addressee of a request.
package enum RequestTarget: Hashable, Sendable {
    /// All ECUs. An ECU that does not support the request stays silent.
    case functional
    /// A single ECU, which sends a negative response to an unsupported request.
    case physical(ECU)
}
