// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import Logging
package import Messages
import Timing

/// Takes commands from the broker: decodes, judges and answers each at once, and runs them one at a time.
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

    /// A command that is to be obeyed.
    package struct Accepted: Sendable {
        let command: Command
        let message: Message
        let vehicle: Vehicle
    }

    /// Sends a response; the message is the command's, the text the vehicle's topic level.
    package typealias Respond = @Sendable (CommandResponse, Message, String) async -> Void
    /// The keys whose signatures count now; they may change from one command to the next.
    package typealias Keys = @Sendable () -> TrustedKeys

    /// How many commands may wait for the one that runs.
    static let queueLimit = 16

    private var guardian: CommandGuard
    private var runner: CommandRunner
    private let access: any VehicleAccess
    private let description: [String: JSON]
    private let clock: any CalendarClock
    private let logger: Logger
    private let keys: Keys
    private let identify: @Sendable () async -> Vehicle
    private let respond: Respond
    private let complained: @Sendable () async -> Void
    private let custom: Set<String>
    private let journal: any CommandJournal
    private var limits: CommandLimits
    /// How many commands run or wait to.
    package private(set) var waiting = 0

    /// - Parameters:
    ///   - rules: what the configuration allows beyond what is safe for everybody.
    ///   - custom: the names of the custom parameters.
    ///   - description: what `describe` tells beside the vehicle.
    ///   - identify: tells who the vehicle is.
    ///   - complained: called for each message that was no command, or a stranger's.
    package init(
        _ guardian: CommandGuard,
        access: any VehicleAccess,
        rules: CommandRules = CommandRules(),
        journal: any CommandJournal,
        clock: any CalendarClock,
        logger: Logger,
        keys: @escaping Keys,
        custom: Set<String> = [],
        description: [String: JSON],
        identify: @escaping @Sendable () async -> Vehicle,
        complained: @escaping @Sendable () async -> Void,
        respond: @escaping Respond
    ) {
        self.guardian = guardian
        self.access = access
        self.description = description
        self.runner = CommandRunner(
            access: access,
            clock: clock,
            rules: rules,
            description: description.merging(guardian.description) { $1 }
        )
        self.journal = journal
        self.clock = clock
        self.logger = logger
        self.keys = keys
        self.custom = custom
        self.identify = identify
        self.complained = complained
        self.respond = respond
        self.limits = CommandLimits(at: clock.now)
    }

    /// What is allowed is something else from now on; what was accepted before is still obeyed.
    package func adopt(_ guardian: CommandGuard, _ rules: CommandRules) {
        self.guardian = guardian
        self.runner = CommandRunner(
            access: self.access,
            clock: self.clock,
            rules: rules,
            description: self.description.merging(guardian.description) { $1 }
        )
    }

    /// Serves until the stream ends.
    ///
    /// What comes while a command runs is judged meanwhile: a flood keeps nobody from being heard.
    package func run(_ messages: AsyncStream<Message>) async {
        let (queue, continuation) = AsyncStream.makeStream(of: Accepted.self)
        await withTaskGroup { group in
            group.addTask { for await accepted in queue { await self.execute(accepted) } }
            for await message in messages {
                if let accepted = await self.judge(message) { continuation.yield(accepted) }
            }
            continuation.finish()
        }
    }

    /// Looks at a message, and answers it.
    ///
    /// - Returns: the command where it is to be executed.
    package func judge(_ message: Message) async -> Accepted? {
        let vehicle = await self.identify()
        let command: Command
        do throws(Refusal) {
            command = try CommandDecoder.decode(message.payload, keys: self.keys(), custom: self.custom)
            if let refusal = self.guardian.refusal(ofStranger: command) { throw refusal }
        } catch {
            await self.complain(error, about: message, vehicle)
            return nil
        }
        if var first = await self.journal.response(to: command.journalKey) {
            guard self.limits.mayRepeat(at: self.clock.now) else { return nil }
            first.repeat = true
            await self.respond(first, message, vehicle.name)
            return nil
        }
        if let refusal = self.refusal(ofTooMany: command) {
            await self.complain(refusal, about: message, vehicle)
            return nil
        }
        if let refusal = self.refusal(of: command, message, vehicle) {
            await self.conclude(command, CommandResult(refusal), message, vehicle)
            return nil
        }
        self.waiting += 1
        await self.tell(command.response(.accepted), message, vehicle)
        return Accepted(command: command, message: message, vehicle: vehicle)
    }

    /// Why a command is not even looked at; nil where it is.
    private func refusal(ofTooMany command: Command) -> Refusal? {
        guard self.waiting < Self.queueLimit else {
            return command.refused(.busy, "too many commands wait: send it again later, under the same id")
        }
        guard self.limits.mayCome(command, at: self.clock.now) else {
            return command.refused(.rateLimited, "too many commands: send it again later, under the same id")
        }
        return nil
    }

    private func refusal(of command: Command, _ message: Message, _ vehicle: Vehicle) -> Refusal? {
        guard Self.isAddressed(message.topic, to: vehicle.name) else {
            return command.refused(
                .wrongVehicle,
                "the command came for another vehicle than the one that is connected now"
            )
        }
        let circumstances = CommandGuard.Circumstances(
            isRetained: message.retain,
            now: self.clock.timestamp,
            clock: self.clock.quality,
            vehicles: Set([vehicle.name, vehicle.vin].compactMap(\.self))
        )
        return self.guardian.refusal(of: command, in: circumstances)
    }

    /// Whether the topic is the command topic of this vehicle: messages that wait outlive a change of vehicle.
    private static func isAddressed(_ topic: Topic, to vehicle: String) -> Bool {
        topic.description.utf8.split(separator: UInt8(ascii: "/")).dropLast().last?.elementsEqual(vehicle.utf8) == true
    }

    /// What was no command is counted, and answered only so often: it may come a thousand times a second.
    private func complain(_ refusal: Refusal, about message: Message, _ vehicle: Vehicle) async {
        await self.complained()
        guard let silent = self.limits.mayComplain(at: self.clock.now) else { return }
        self.logger.notice(
            "Not a command: \(refusal.message)",
            metadata: ["bytes": "\(message.payload.count)", "unreported": "\(silent)"]
        )
        await self.respond(CommandResponse(refusal), message, vehicle.name)
    }

    // MARK: - Running

    /// Runs a command that was accepted, and tells what came of it.
    package func execute(_ accepted: Accepted) async {
        let (command, message, vehicle) = (accepted.command, accepted.message, accepted.vehicle)
        defer { self.waiting -= 1 }
        // It may have waited for long.
        if let refusal = self.guardian.refusal(ofUntimely: command, self.clock.timestamp, self.clock.quality) {
            return await self.conclude(command, CommandResult(refusal), message, vehicle)
        }
        guard await self.identify().name == vehicle.name else {
            let refusal = command.refused(.wrongVehicle, "another vehicle is connected by now")
            return await self.conclude(command, CommandResult(refusal), message, vehicle)
        }
        let respond = self.respond
        let outcome = await self.runner.outcome(of: command, for: vehicle.name) { progress in
            var response = command.response(.running)
            response.progress = progress
            await respond(response, message, vehicle.name)
        }
        await self.conclude(command, outcome, message, vehicle)
    }

    private func conclude(_ command: Command, _ result: CommandResult, _ message: Message, _ vehicle: Vehicle) async {
        var response = command.response(result.state)
        (response.reason, response.message, response.result) = (result.reason, result.message, result.result)
        self.logger.notice("Command \(response.state.rawValue)", metadata: Self.metadata(command, response.reason))
        await self.tell(response, message, vehicle)
    }

    /// Writes a response into the journal, then sends it.
    private func tell(_ response: CommandResponse, _ message: Message, _ vehicle: Vehicle) async {
        await self.journal.remember(response, to: message, vehicle: vehicle.name)
        await self.respond(response, message, vehicle.name)
    }

    private static func metadata(_ command: Command, _ reason: CommandResponse.Reason?) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["command_id": "\(command.id)", "command": "\(command.action.name.rawValue)"]
        if let signer = command.signer { metadata["issuer"] = "\(signer.issuer)" }
        if let reason { metadata["reason"] = "\(reason.rawValue)" }
        return metadata
    }
}
