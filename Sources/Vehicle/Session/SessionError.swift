// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import AdapterLink
package import ELM327

/// Why there is no session, or no answer in it.
package enum SessionError: Error, Hashable, Sendable {
    case link(LinkError)
    case startUp(StartUpError)
    /// The adapter started anew by itself: its settings are lost.
    case adapterRestarted
    /// What was set to try the adapter could not be set back.
    case adapterUnsettled
    /// The adapter stopped answering.
    case adapterSilent
    /// The vehicle stopped answering.
    case vehicleSilent
    /// What the vehicle answers to the question who it is arrives damaged.
    case vehicleUnidentified
    /// The vehicle is none of those that are expected.
    case vehicleUnexpected
    /// Another vehicle answers than the one that was identified.
    case vehicleChanged
    /// The vehicle did not prove its identity right before a request that writes, which was not sent.
    case vehicleUnproven
    /// The vehicle is parked: its bus is left alone.
    case parked
    /// ECUs answered a probe, and nothing turned: it stays parked.
    case standing
    /// At so many volts nothing is asked.
    case lowVoltage(Double)
    /// A parked vehicle was asked as often as it may be, for this hour or night.
    case noProbeLeft
    /// There is no vehicle to ask at the moment.
    case notConnected
    /// Too many wait for the vehicle already.
    case busy
    /// The bus was asked after its lease had ended.
    case leaseEnded
}

extension SessionError {
    /// Whether it says that no ECU answers.
    var isSilence: Bool {
        if case .startUp(.noVehicle) = self { true } else { self == .vehicleSilent }
    }

    /// Whether it is why the vehicle is left alone, and so is told for as long as it is.
    var outlastsParking: Bool { self.isSilence || self == .vehicleUnexpected }
}

extension SessionError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .link(let error): error.description
        case .startUp(let error): error.description
        case .adapterRestarted: "the adapter started anew"
        case .adapterUnsettled: "the adapter did not take its settings back"
        case .adapterSilent: "the adapter stopped answering"
        case .vehicleSilent: "the vehicle stopped answering"
        case .vehicleUnidentified: "the vehicle's identification number arrives damaged"
        case .vehicleUnexpected: "the vehicle at the adapter is not the one that [vehicle] expected_vin names"
        case .vehicleChanged: "another vehicle answers than the one that was identified"
        case .vehicleUnproven: "the vehicle did not prove its identity right before the request, which was not sent"
        case .parked: "the vehicle is parked"
        case .standing: "the vehicle answers, but its engine does not run"
        case .lowVoltage(let volts): "the battery has \(volts.tenths) V, too little to ask the vehicle"
        case .noProbeLeft: "a parked vehicle may not be asked again so soon"
        case .notConnected: "no vehicle is connected"
        case .busy: "too many requests wait for the vehicle"
        case .leaseEnded: "the bus is no longer leased"
        }
    }
}

extension Double {
    /// `12.4`.
    fileprivate var tenths: Double { (self * 10).rounded() / 10 }
}
