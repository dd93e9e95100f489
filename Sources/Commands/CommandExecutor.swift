// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
import FoundationEssentials
package import Logging
package import Messages
import Timing

/// Takes commands from the broker, one at a time: decodes, guards, runs, answers.
package actor CommandExecutor {
    /// Who the vehicle is at this moment.
    package struct Vehicle: Sendable {
        /// Its topic level, under which the command came and the response goes.
        package var name: String
        package var vin: String?

        package init(name: String, vin: String?) {
            self.name = name
            self.vin = vin
        }
    }

    /// Sends a response; the message is the command's, the text the vehicle's topic level.
    package typealias Respond = @Sendable (CommandResponse, Message, String) async -> Void

    private let guardian: CommandGuard
    private let runner: CommandRunner
    private let clock: any CalendarClock
    private let logger: Logger
    private let identify: @Sendable () async -> Vehicle
    private let respond: Respond
    private let complained: @Sendable () async -> Void
    private let custom: Set<String>
    private let journal: any CommandJournal
    private var complaints: TokenBucket

    /// - Parameters:
    ///   - rules: what the configuration allows beyond what is safe for everybody.
    ///   - custom: the names of the custom parameters.
    ///   - description: what `describe` tells beside the vehicle.
    ///   - identify: tells who the vehicle is.
    ///   - complained: called for each message that was no command.
    package init(
        _ guardian: CommandGuard,
        access: any VehicleAccess,
        rules: CommandRules = CommandRules(),
        journal: any CommandJournal,
        clock: any CalendarClock,
        logger: Logger,
        custom: Set<String> = [],
        description: [String: JSON],
        identify: @escaping @Sendable () async -> Vehicle,
        complained: @escaping @Sendable () async -> Void,
        respond: @escaping Respond
    ) {
        self.guardian = guardian
        self.journal = journal
        self.clock = clock
        self.logger = logger
        self.custom = custom
        self.runner = CommandRunner(
            access: access,
            clock: clock,
            rules: rules,
            description: description.merging([
                "commands": .array(CommandName.allCases.filter(guardian.isAllowed).map { .string($0.rawValue) })
            ]) { $1 }
        )
        self.identify = identify
        self.complained = complained
        self.respond = respond
        self.complaints = TokenBucket(capacity: 5, interval: .seconds(1), at: clock.now)
    }

    /// Serves until the stream ends.
    package func run(_ messages: AsyncStream<Message>) async {
        for await message in messages { await self.receive(message) }
    }

    /// Obeys one message, or says why not.
    package func receive(_ message: Message) async {
        let vehicle = await self.identify()
        let command: Command
        do throws(Refusal) {
            command = try CommandDecoder.decode(message.payload, custom: self.custom)
        } catch {
            return await self.complain(error, about: message, vehicle)
        }
        if var first = await self.journal.response(to: command.id) {
            first.repeat = true
            return await self.respond(first, message, vehicle.name)
        }
        guard Self.isAddressed(message.topic, to: vehicle.name) else {
            let refusal = Refusal(
                id: command.id,
                command: command.action.name.rawValue,
                reason: .wrongVehicle,
                message: "the command came for another vehicle than the one that is connected now"
            )
            return await self.respond(self.response(refusal), message, vehicle.name)
        }
        let circumstances = CommandGuard.Circumstances(
            isRetained: message.retain,
            now: self.clock.timestamp,
            clock: self.clock.quality,
            vehicles: Set([vehicle.name, vehicle.vin].compactMap(\.self))
        )
        if let refusal = self.guardian.refusal(of: command, in: circumstances) {
            self.logger.notice("Command refused", metadata: Self.metadata(command, refusal.reason))
            return await self.respond(self.response(refusal), message, vehicle.name)
        }
        await self.execute(command, of: message, vehicle)
    }

    /// Whether the topic is the command topic of this vehicle: messages that wait outlive a change of vehicle.
    private static func isAddressed(_ topic: Topic, to vehicle: String) -> Bool {
        topic.description.utf8.split(separator: UInt8(ascii: "/")).dropLast().last?.elementsEqual(vehicle.utf8) == true
    }

    /// What was no command is counted, and answered only so often: it may come a thousand times a second.
    private func complain(_ refusal: Refusal, about message: Message, _ vehicle: Vehicle) async {
        await self.complained()
        guard let silent = self.complaints.take(at: self.clock.now) else { return }
        self.logger.notice(
            "Not a command: \(refusal.message)",
            metadata: ["bytes": "\(message.payload.count)", "unreported": "\(silent)"]
        )
        await self.respond(self.response(refusal), message, vehicle.name)
    }

    private func execute(_ command: Command, of message: Message, _ vehicle: Vehicle) async {
        var response = CommandResponse(
            id: command.id,
            command: command.action.name.rawValue,
            state: .accepted
        )
        await self.journal.remember(response, vehicle: vehicle.name)
        await self.respond(response, message, vehicle.name)
        let outcome = await self.runner.outcome(of: command, for: vehicle.name)
        response.state = outcome.state
        response.reason = outcome.reason
        response.message = outcome.message
        response.result = outcome.result
        await self.journal.remember(response, vehicle: vehicle.name)
        self.logger.notice(
            "Command \(response.state.rawValue)",
            metadata: Self.metadata(command, response.reason)
        )
        await self.respond(response, message, vehicle.name)
    }

    private func response(_ refusal: Refusal) -> CommandResponse {
        CommandResponse(
            id: refusal.id,
            command: refusal.command,
            state: .refused,
            reason: refusal.reason,
            message: refusal.message
        )
    }

    private static func metadata(_ command: Command, _ reason: CommandResponse.Reason?) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["command_id": "\(command.id)", "command": "\(command.action.name.rawValue)"]
        if let reason { metadata["reason"] = "\(reason.rawValue)" }
        return metadata
    }
}
