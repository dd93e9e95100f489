// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The messages that have a `MESSAGE_ID` in the journal, by which programs find them.
///
/// obd-agent.service(8) lists the ids. An id never changes, and is never reused.
enum JournalEvent: String, CaseIterable {
    case vehicleAnswers = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d01"
    case noSession = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d02"
    case brokerConnected = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d03"
    case noBroker = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d04"
    case commandEnded = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d05"
    case commandInterrupted = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d06"
    case databaseDamaged = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d07"
    case inMemoryOnly = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d08"
    case partStuck = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d09"
    case notReloaded = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d0a"

    /// The beginning of the message, as in the source that logs it.
    var beginning: String {
        switch self {
        case .vehicleAnswers: "A vehicle answers"
        case .noSession: "No session: "
        case .brokerConnected: "Connected to the broker"
        case .noBroker: "No broker: "
        case .commandEnded: "Command "
        case .commandInterrupted: "A command was interrupted"
        case .databaseDamaged: "The database was damaged"
        case .inMemoryOnly: "Records are kept in memory only: "
        case .partStuck: "A part of the agent is stuck"
        case .notReloaded: "The configuration is not reloaded"
        }
    }

    /// Returns nil if the message has no id.
    init?(message: String) {
        guard let event = Self.allCases.first(where: { message.hasPrefix($0.beginning) }) else { return nil }
        self = event
    }
}
