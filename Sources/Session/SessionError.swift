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
    /// There is no vehicle to ask at the moment.
    case notConnected
    /// Too many wait for the vehicle already.
    case busy
    /// The bus was asked after its lease had ended.
    case leaseEnded
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
        case .notConnected: "no vehicle is connected"
        case .busy: "too many requests wait for the vehicle"
        case .leaseEnded: "the bus is no longer leased"
        }
    }
}
