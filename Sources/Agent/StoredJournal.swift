// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Commands
import Contract
import FoundationEssentials
import Store
import Timing

/// The journal of commands in the store; it is on the disk together with the response that is told next.
struct StoredJournal: CommandJournal {
    /// No response is deeper.
    private static let depthLimit = 32

    let store: Store
    let clock: any MonotonicClock

    func response(to key: String) async -> CommandResponse? {
        guard let body = await self.store.response(to: key) else { return nil }
        return (try? JSON(parsing: body, depthLimit: Self.depthLimit)).flatMap(CommandResponse.init)
    }

    /// Ends the commands that the process before this one has accepted and not ended.
    ///
    /// - Returns: the last response to each, and the vehicle that it is for.
    func endInterrupted(_ commands: [UnfinishedCommand]) async -> [(CommandResponse, vehicle: String?)] {
        var ended: [(CommandResponse, vehicle: String?)] = []
        for command in commands {
            let json = try? JSON(parsing: command.response, depthLimit: Self.depthLimit)
            guard var response = json.flatMap(CommandResponse.init), !response.state.isFinal else { continue }
            (response.state, response.reason) = (.failed, .interrupted)
            response.message = "the agent ended before the command did: what it was to change may be changed or not"
            await self.remember(response, vehicle: command.vehicle ?? "")
            ended.append((response, command.vehicle))
        }
        return ended
    }

    func remember(_ response: CommandResponse, vehicle: String) async {
        guard let key = response.journalKey, let body = try? JSONEncoder().encode(response) else { return }
        await self.store.remember(
            CommandEntry(id: key, at: self.clock.now, response: Array(body), vehicle: vehicle)
        )
    }
}
