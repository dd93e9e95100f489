// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import Logging
package import Base

/// Takes commands from the broker: decodes, judges and answers each at once, and runs them one at a time.
package actor CommandExecutor {
    /// Who the vehicle is at this moment.
    package struct Vehicle: Sendable {
        /// Its topic level, under which the command came and the response goes.
        package var name: String
        package var vin: String?
        /// Whether that is being found out at the moment.
        package var isComing: Bool

        package init(name: String, vin: String?, isComing: Bool = false) {
            (self.name, self.vin, self.isComing) = (name, vin, isComing)
        }

        /// What it is called; nil while nobody knows.
        var names: Set<String>? { self.isComing ? nil : Set([self.name, self.vin].compactMap(\.self)) }
    }

    /// A command that is to be obeyed.
    package struct Accepted: Sendable {
        let command: Command
        let message: Message
        /// The topic level of the vehicle under which it came.
        let vehicle: String
    }

    /// Sends a response; the message is the command's, the text the vehicle's topic level.
    ///
    /// It returns why a power cut would not leave the journal where it is; nil where it would.
    package typealias Respond = @Sendable (CommandResponse, Message, String) async -> String?
    /// The keys whose signatures count now; they may change from one command to the next.
    package typealias Keys = @Sendable () -> TrustedKeys

    /// How many commands may wait for the one that runs, and how many of them without a signature.
    static let queueLimit = 16
    static let unsignedQueueLimit = 8
    /// The longest message about what was no command, in bytes.
    static let complaintLimit = 300
    /// How long a command waits for a vehicle that is being identified.
    static let vehiclePatience = Duration.seconds(60)
    /// How much earlier than now a sender may think that it is: seconds are cut off, and clocks differ.
    private static let senderError = Duration.seconds(5)
    /// How often it is looked whether the vehicle is there.
    private static let look = Duration.milliseconds(500)

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
    private let mayAnswerStranger: @Sendable () async -> Bool
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
    ///   - mayAnswerStranger: returns whether the answers to another unsigned command may be sent.
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
        mayAnswerStranger: @escaping @Sendable () async -> Bool,
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
        self.mayAnswerStranger = mayAnswerStranger
        self.respond = respond
        self.limits = CommandLimits(at: clock.now)
    }

    /// Adopts another configuration.
    ///
    /// A command that was accepted before is judged by it once it has the bus.
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
        var message = message
        message.properties = message.properties.echo
        let command: Command
        do throws(Refusal) {
            command = try CommandDecoder.decode(message.payload, keys: self.keys(), custom: self.custom)
            if let refusal = self.guardian.refusal(ofStranger: command) { throw refusal }
        } catch {
            await self.complain(error, about: message, vehicle)
            return nil
        }
        do throws(JournalUnreadable) {
            if var first = try await self.journal.response(to: command.journalKey) {
                guard self.limits.mayRepeat(at: self.clock.now) else { return nil }
                first.repeat = true
                _ = await self.respond(first, message, vehicle.name)
                return nil
            }
        } catch {
            guard !command.action.changesVehicle else {
                let refusal = command.refused(.notKept, "nobody can tell whether it was obeyed before: \(error.reason)")
                await self.complain(refusal, about: message, vehicle)
                return nil
            }
        }
        if let refusal = await self.refusal(ofTooMany: command) {
            await self.complain(refusal, about: message, vehicle)
            return nil
        }
        if let refusal = await self.refusal(of: command, message, vehicle) {
            await self.conclude(command, CommandResult(refusal), message, vehicle.name)
            return nil
        }
        self.waiting += 1
        let problem = await self.tell(command, command.response(.accepted), message, vehicle.name)
        if let problem, command.action.changesVehicle {
            self.waiting -= 1
            let refusal = command.refused(
                .notKept,
                "it could not be written down first that it is obeyed, so it might be obeyed twice: \(problem)"
            )
            await self.conclude(command, CommandResult(refusal), message, vehicle.name)
            return nil
        }
        return Accepted(command: command, message: message, vehicle: vehicle.name)
    }

    /// Why a command is not even looked at; nil where it is.
    private func refusal(ofTooMany command: Command) async -> Refusal? {
        guard self.waiting < (command.signer == nil ? Self.unsignedQueueLimit : Self.queueLimit) else {
            return command.refused(.busy, "too many commands wait: send it again later, under the same id")
        }
        guard self.limits.mayCome(command, at: self.clock.now) else {
            return command.refused(.rateLimited, "too many commands: send it again later, under the same id")
        }
        if command.signer == nil, await !self.mayAnswerStranger() {
            return command.refused(
                .rateLimited,
                "unsigned commands had all the bytes of answers that they may have now. "
                    + "Try: sign it, or send it again later, under the same id."
            )
        }
        guard command.action.role > .observer else { return nil }
        guard await self.journal.reach().hasRoom else {
            return command.refused(
                .rateLimited,
                "the journal is full of commands that have not expired: send it again later, under the same id"
            )
        }
        return nil
    }

    private func refusal(of command: Command, _ message: Message, _ vehicle: Vehicle) async -> Refusal? {
        guard Self.isAddressed(message.topic, to: vehicle.name) else {
            return command.refused(
                .wrongVehicle,
                "the command came for another vehicle than the one that is connected now"
            )
        }
        let reach = command.action.role > .observer ? await self.journal.reach() : nil
        let circumstances = CommandGuard.Circumstances(
            isRetained: message.retain,
            now: self.clock.timestamp,
            clock: self.clock.quality,
            latest: reach?.latest,
            vehicles: vehicle.names
        )
        if let refusal = self.guardian.refusal(of: command, in: circumstances) { return refusal }
        guard command.action.changesVehicle, let begins = reach?.begins, command.issuedAt + Self.senderError < begins
        else { return nil }
        return command.refused(
            .beforeJournal,
            "the journal here begins at \(begins), so nobody knows whether it was obeyed before: issue it again"
        )
    }

    /// Whether the topic is the command topic of this vehicle: messages that wait outlive a change of vehicle.
    private static func isAddressed(_ topic: Topic, to vehicle: String) -> Bool {
        topic.description.utf8.split(separator: UInt8(ascii: "/")).dropLast().last?.elementsEqual(vehicle.utf8) == true
    }

    /// What was no command is counted, and answered only so often: it may come a thousand times a second.
    ///
    /// An answer to a stranger is short, and repeats neither a response topic nor correlation data.
    private func complain(_ refusal: Refusal, about message: Message, _ vehicle: Vehicle) async {
        await self.complained()
        let isSigned = refusal.issuer != nil
        var (refusal, message) = (refusal, message)
        refusal.message = refusal.message.prefix(bytes: Self.complaintLimit)
        if !isSigned { message.properties = Message.Properties() }
        guard let silent = self.limits.mayComplain(isSigned: isSigned, at: self.clock.now) else { return }
        self.logger.notice(
            "Not a command: \(refusal.message)",
            metadata: ["bytes": "\(message.payload.count)", "unreported": "\(silent)"]
        )
        _ = await self.respond(CommandResponse(refusal), message, vehicle.name)
    }

    // MARK: - Running

    /// Runs a command that was accepted, and tells what came of it.
    package func execute(_ accepted: Accepted) async {
        let (command, message, vehicle) = (accepted.command, accepted.message, accepted.vehicle)
        defer { self.waiting -= 1 }
        // It may have waited for long, for others and for the vehicle, which may be another by now.
        let present = await self.vehicle(for: command)
        if let refusal = self.refusal(ofUnidentified: command, present) {
            return await self.conclude(command, CommandResult(refusal), message, vehicle)
        }
        if let refusal = await self.refusal(of: command, message, present) {
            return await self.conclude(command, CommandResult(refusal), message, vehicle)
        }
        let respond = self.respond
        let judge: CommandRunner.Judge = { await self.refusal(of: command, message, $0) }
        let outcome = await self.runner.outcome(of: command, for: vehicle, judge: judge) { progress in
            var response = command.response(.running)
            response.progress = progress
            _ = await respond(response, message, vehicle)
        }
        await self.conclude(command, outcome, message, vehicle)
    }

    /// Why a command that names its vehicle is not obeyed while the vehicle is unknown; nil where it is.
    private func refusal(ofUnidentified command: Command, _ vehicle: Vehicle) -> Refusal? {
        guard vehicle.names == nil, command.action != .describe else { return nil }
        guard command.action.changesVehicle || !command.audience.isEmpty else { return nil }
        return command.refused(
            .vehicleUnknown,
            "the vehicle at the adapter was not identified within \(Self.vehiclePatience.components.seconds) s. "
                + "Try: send the command again once status says vehicle_confirmed."
        )
    }

    /// The vehicle as soon as it is known which one it is; the broker is often there before the vehicle is.
    private func vehicle(for command: Command) async -> Vehicle {
        let patience = min(Self.vehiclePatience, command.expiresAt - self.clock.timestamp)
        let deadline = self.clock.now + max(.zero, patience)
        while true {
            let vehicle = await self.identify()
            guard vehicle.isComing, command.action != .describe, self.clock.now < deadline else { return vehicle }
            guard (try? await self.clock.sleep(until: self.clock.now + Self.look)) != nil else { return vehicle }
        }
    }

    private func conclude(_ command: Command, _ result: CommandResult, _ message: Message, _ vehicle: String) async {
        var response = command.response(result.state)
        (response.reason, response.message, response.result) = (result.reason, result.message, result.result)
        self.logger.notice("Command \(response.state.rawValue)", metadata: Self.metadata(command, response.reason))
        _ = await self.tell(command, response, message, vehicle)
    }

    /// Writes a response into the journal, then sends it.
    ///
    /// - Returns: why a power cut would not leave the journal where it is; nil where it would.
    private func tell(
        _ command: Command,
        _ response: CommandResponse,
        _ message: Message,
        _ vehicle: String
    ) async -> String? {
        // What was for another vehicle does nothing here, however often it comes: a fleet's commands are many.
        let isHarmless = command.action.role == .observer || response.reason == .wrongVehicle
        let date = isHarmless ? nil : command.expiresAt + CommandGuard.skew
        await self.journal.remember(response, to: message, vehicle: vehicle, until: date)
        return await self.respond(response, message, vehicle)
    }

    private static func metadata(_ command: Command, _ reason: CommandResponse.Reason?) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["command_id": "\(command.id)", "command": "\(command.action.name.rawValue)"]
        if let signer = command.signer { metadata["issuer"] = "\(signer.issuer)" }
        if let reason { metadata["reason"] = "\(reason.rawValue)" }
        return metadata
    }
}
