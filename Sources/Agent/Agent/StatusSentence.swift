// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The sentence about the agent's state that `systemctl status` shows.
enum StatusSentence {
    /// Returns the sentence.
    ///
    /// - Parameters:
    ///   - status: the status that was published last; nil before the first one.
    ///   - vehicle: the vehicle's topic level.
    ///   - isOnline: whether the broker has accepted the connection.
    ///   - hasBroker: whether a broker is configured.
    ///   - rivalry: a sentence about another client with the same client id; nil without one.
    static func text(
        _ status: AgentStatus?,
        vehicle: String,
        isOnline: Bool,
        hasBroker: Bool = true,
        rivalry: String? = nil
    ) -> String {
        guard let status else { return "Starting" }
        let name = status.simulated ? "the simulated vehicle" : status.vehicleConfirmed ? vehicle : "the vehicle"
        var parts: [String] = []
        switch status.link {
        case .connected: parts.append("Reading \(name)" + (status.protocol.map { " over \($0)" } ?? ""))
        case .connecting: parts.append("Looking for the adapter \(status.adapter.address)")
        case .searching: parts.append("The adapter answers; looking for the vehicle")
        case .waiting where status.parked == true && status.problem == nil: parts.append("The vehicle is parked")
        case .waiting: parts.append("No vehicle: \(status.problem ?? "the adapter is out of reach")")
        }
        parts.append(isOnline ? "broker connected" : hasBroker ? "no broker" : "no broker configured")
        if let rivalry { parts.append(rivalry) }
        if status.outbox.records > 0, !isOnline { parts.append("\(status.outbox.records) records wait") }
        if let problem = status.store.problem { parts.append("kept in memory only: \(problem)") }
        if status.clock == .unsynchronised { parts.append("the date is unknown") }
        return parts.joined(separator: "; ")
    }
}
