// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import AdapterLink
package import ELM327

/// The reason for which a session ends or cannot begin, or a caller gets no answer.
package enum SessionError: Error, Hashable, Sendable {
    case link(LinkError)
    case startUp(StartUpError)
    /// The adapter restarted by itself, so its settings are lost.
    case adapterRestarted
    /// The adapter's settings could not be restored after a trial or a request to one ECU.
    case settingsNotRestored
    /// The adapter stopped answering.
    case adapterSilent
    /// No node of the vehicle sends, so nothing was sent.
    case busAsleep
    /// The vehicle stopped answering.
    case vehicleSilent
    /// The vehicle's answers to the request for its VIN arrive damaged.
    case vehicleUnidentified
    /// The vehicle is not an expected one.
    case vehicleUnexpected
    /// The vehicle that answers is not the identified one.
    case vehicleChanged
    /// The vehicle did not prove its identity right before a request that writes, so the request was not sent.
    case vehicleUnproven
    /// The vehicle is parked, so its bus is not used.
    case parked
    /// ECUs answered a probe, but the engine does not run and the vehicle does not move, so it stays parked.
    case standing
    /// The supply voltage, in volts, is below the limit for the use of the bus.
    case lowVoltage(Double)
    /// The probes of a parked vehicle for this hour or night are spent.
    case noProbeLeft
    /// No vehicle is connected at the moment.
    case notConnected
    /// Too many callers wait for the vehicle already.
    case busy
    /// The lease had ended before the request.
    case leaseEnded
}

extension SessionError {
    /// Whether the reason is that no ECU answers.
    var isSilence: Bool {
        if case .startUp(.noVehicle) = self { true } else { self == .vehicleSilent || self == .busAsleep }
    }

    /// Whether the adapter probably keeps its settings and is as it was when it is back.
    var leavesAdapterAlone: Bool {
        switch self {
        case .link, .parked, .standing, .vehicleSilent: true
        default: false
        }
    }

    /// Whether the error is over once the voltage of a parked vehicle is read.
    ///
    /// The adapter answers then, and a parked vehicle may be silent.
    package var endsWithParking: Bool {
        switch self {
        case .link, .adapterSilent, .startUp(.notAnAdapter), .startUp(.adapterSilent): true
        default: self.isSilence
        }
    }

    /// Whether the error is the reason for parking, and so is reported for as long as the vehicle is parked.
    var outlastsParking: Bool { self.isSilence || self == .vehicleUnexpected }
}

extension SessionError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .link(let error): error.description
        case .startUp(let error): error.description
        case .adapterRestarted: "the adapter restarted by itself, and its settings are lost"
        case .settingsNotRestored: "the settings of the adapter could not be restored"
        case .adapterSilent: "the adapter stopped answering"
        case .busAsleep: "no frame is on the bus: the vehicle sleeps, and nothing was sent"
        case .vehicleSilent: "the vehicle stopped answering"
        case .vehicleUnidentified: "the VIN could not be read: the answers arrive damaged"
        case .vehicleUnexpected: "the vehicle at the adapter does not match [vehicle] expected_vin"
        case .vehicleChanged: "the vehicle that answers is not the identified one"
        case .vehicleUnproven: "the request was not sent: the vehicle did not prove its identity right before it"
        case .parked: "the vehicle is parked"
        case .standing: "the vehicle answers, but its engine does not run"
        case .lowVoltage(let volts):
            "the battery has only \(volts.tenths) V, perhaps while the starter turns, so the bus is not used for now"
        case .noProbeLeft:
            "the parked vehicle was asked as often as [parking] allows this hour or night, so it is left alone"
        case .notConnected: "no vehicle is connected"
        case .busy: "too many requests wait for the vehicle"
        case .leaseEnded: "the request was not sent: its turn at the vehicle's bus had ended"
        }
    }
}

extension Double {
    /// The value rounded to tenths, such as `12.4`.
    fileprivate var tenths: Double { (self * 10).rounded() / 10 }
}
