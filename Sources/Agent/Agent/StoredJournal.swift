// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Contract
import Store

/// The journal of commands in the store.
///
/// The flush of the next response writes it to the disk.
struct StoredJournal: CommandJournal {
    /// The nesting limit of a stored response.
    private static let depthLimit = 32

    let store: Store
    let clock: any CalendarClock

    func response(to key: String) async throws(JournalUnreadable) -> CommandResponse? {
        let body: [UInt8]?
        do throws(StoreError) {
            body = try await self.store.response(to: key)
        } catch {
            throw JournalUnreadable(reason: error.description)
        }
        return body.flatMap { try? JSON(parsing: $0, depthLimit: Self.depthLimit) }.flatMap(CommandResponse.init)
    }

    func reach() async -> JournalReach {
        let start = BootStart(of: self.clock)
        let latest = await self.store.latestDate(at: self.clock.now, start)
        return JournalReach(
            begins: await self.store.journalStart(start),
            hasRoom: await self.store.hasRoomForCommand,
            latest: latest
        )
    }

    /// Ends the commands that the previous process accepted and did not end.
    ///
    /// - Returns: the last response to each, and its destination.
    func endInterrupted(
        _ commands: [UnfinishedCommand]
    ) async -> [(CommandResponse, to: StoredRecord.Destination)] {
        var ended: [(CommandResponse, to: StoredRecord.Destination)] = []
        for command in commands {
            let json = try? JSON(parsing: command.response, depthLimit: Self.depthLimit)
            guard var response = json.flatMap(CommandResponse.init), !response.state.isFinal else { continue }
            (response.state, response.reason) = (.failed, .interrupted)
            response.message = "The agent ended before the command did, so its changes may or may not have been made."
            await self.remember(response, .init(vehicle: command.destination.vehicle))
            ended.append((response, command.destination))
        }
        return ended
    }

    func remember(_ response: CommandResponse, to message: Message, vehicle: String, until date: Timestamp?) async {
        var destination = StoredRecord.Destination(vehicle: vehicle)
        if !response.state.isFinal {
            destination.responseTopic = message.properties.responseTopic?.description
            destination.correlationData = message.properties.correlationData
        }
        await self.remember(response, destination, until: date)
    }

    /// Stores a response.
    ///
    /// Without a date, an earlier expiry date of the command stays.
    private func remember(
        _ response: CommandResponse,
        _ destination: StoredRecord.Destination,
        until date: Timestamp? = nil
    ) async {
        guard let key = response.journalKey, let json = try? JSON(encoding: response) else { return }
        await self.store.remember(
            CommandEntry(
                id: key,
                at: self.clock.now,
                until: date,
                state: response.state,
                response: Array(json.text.utf8),
                destination: destination
            )
        )
    }
}
