// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The log messages that programs find in the journal by their `MESSAGE_ID`.
///
/// The metadata of such a message has the event under ``metadataKey``. obd-agent.service(8) lists the ids. An id never
/// changes, and is never reused.
package enum JournalEvent: String, CaseIterable, Sendable {
    case vehicleAnswers = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d01"
    case noVehicle = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d02"
    case brokerConnected = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d03"
    case noBroker = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d04"
    case commandEnded = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d05"
    case commandInterrupted = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d06"
    case databaseDamaged = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d07"
    case inMemoryOnly = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d08"
    case partStuck = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d09"
    case notReloaded = "9f6b1c52d0a94b0f8a4c1c7f6a5e2d0a"

    /// The key of the event in the metadata of a log message.
    package static let metadataKey = "message_id"
}
