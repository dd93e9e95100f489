// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import OBD2

/// An ECU of the simulated vehicle that answers OBD-II requests.
package enum ECU: UInt8, CaseIterable, Hashable, Sendable {
    case engine
    case transmission

    /// Its address on J1850, ISO 9141-2, KWP and 29-bit CAN.
    package var address: UInt8 { self == .engine ? 0x10 : 0x18 }

    /// The identifier of its replies on 11-bit CAN; requests to it have eight less.
    package var identifier: UInt32 { 0x7E8 + UInt32(self.rawValue) }

    /// How long it takes to answer.
    package var latency: Duration { self == .engine ? .milliseconds(10) : .milliseconds(18) }

    /// What service 09 says about it.
    var name: VehicleInformation.ECUName {
        self == .engine
            ? VehicleInformation.ECUName(acronym: "ECM", name: "EngineControl")
            : VehicleInformation.ECUName(acronym: "TCM", name: "TransmisCtrl")
    }
    var calibrationID: String { self == .engine ? "SIM16MPI00420A" : "SIM6AT000117C" }
    var calibrationVerificationNumber: UInt32 { self == .engine ? 0x1791_BC82 : 0x5CF1_0A3E }

    /// Whether `code` is one that this ECU would find: P07xx and P08xx are the gearbox's (SAE J2012).
    func finds(_ code: DTC) -> Bool {
        let isTransmission = (0x07...0x08).contains(code.rawValue >> 8)
        return isTransmission == (self == .transmission)
    }
}

/// One message with which an ECU answers.
package struct ECUReply: Hashable, Sendable {
    package let ecu: ECU
    /// From the request to the message.
    package let delay: Duration
    /// The payload, service byte first.
    package let message: [UInt8]

    package init(ecu: ECU, delay: Duration, message: [UInt8]) {
        self.ecu = ecu
        self.delay = delay
        self.message = message
    }
}

/// Whom a request is meant for.
package enum RequestTarget: Hashable, Sendable {
    /// Every ECU: those that do not support it keep silent.
    case functional
    /// One ECU, which also says no.
    case physical(ECU)
}
