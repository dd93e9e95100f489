// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
package import Logging

/// Receives commands from the broker, judges and answers each at once, and runs them one at a time.
package actor CommandExecutor {
    /// The vehicle that is connected now.
    package struct Vehicle: Sendable {
        /// The vehicle's topic level: the command comes under it, and so does the response.
        package var name: String
        package var vin: String?
        /// Whether the vehicle is being identified now.
        package var isComing: Bool
        /// The ECUs by which the vehicle is known too, and which do not answer now.
        package var silent: [String]

        package init(name: String, vin: String?, isComing: Bool = false, silent: [String] = []) {
            (self.name, self.vin, self.isComing, self.silent) = (name, vin, isComing, silent)
        }

        /// The vehicle's topic level and VIN; nil while the vehicle is being identified.
        var names: Set<String>? { self.isComing ? nil : Set([self.name, self.vin].compactMap(\.self)) }
    }

    /// An accepted command, which waits for its execution.
    package struct Accepted: Sendable {
        let command: Command
        let message: Message
        /// The topic level of the vehicle that the command was accepted for.
        let vehicle: String
    }

    /// The number of accepted commands that have not ended, above which a signed command is answered `busy`.
    static let queueLimit = 16
    /// The same number for unsigned commands, which leaves room for signed ones.
    static let unsignedQueueLimit = 8
    /// The longest error message in the response to a message that is not a command, in bytes.
    static let complaintLimit = 300
    /// The longest time that a command waits for a vehicle that is being identified.
    static let identificationTimeout = Duration.seconds(60)
    /// The tolerance for the sender's time of issue: senders cut off fractions of seconds, and clocks differ.
    private static let senderError = Duration.seconds(5)

    private var guardian: CommandGuard
    private var runner: CommandRunner
    private let access: any VehicleAccess
    private let journal: any CommandJournal
    private let host: CommandHost
    private let clock: any CalendarClock
    private let logger: Logger
    private var rates: CommandRates
    /// Ends the wait of the running command for the identification of the vehicle.
    private let identificationTimer = InterruptibleTimer()
    /// The number of accepted commands that have not ended.
    package private(set) var waiting = 0

    package init(
        _ guardian: CommandGuard,
        rules: CommandRules = CommandRules(),
        access: any VehicleAccess,
        journal: any CommandJournal,
        host: CommandHost,
        clock: any CalendarClock,
        logger: Logger
    ) {
        self.guardian = guardian
        self.access = access
        self.runner = CommandRunner(
            access: access,
            clock: clock,
            rules: rules,
            description: host.description.merging(guardian.description) { $1 }
        )
        self.journal = journal
        self.host = host
        self.clock = clock
        self.logger = logger
        self.rates = CommandRates(at: clock.now)
    }

    /// Adopts another configuration.
    ///
    /// The configuration also applies to commands that were accepted before, because each is judged again on the bus.
    package func adopt(_ guardian: CommandGuard, _ rules: CommandRules) {
        self.guardian = guardian
        self.runner = CommandRunner(
            access: self.access,
            clock: self.clock,
            rules: rules,
            description: self.host.description.merging(guardian.description) { $1 }
        )
    }

    /// Takes note that the identity of the vehicle, or its progress, changed.
    package func vehicleChanged() {
        self.identificationTimer.interrupt()
    }

    /// Processes messages until the stream ends.
    ///
    /// While a command runs, further messages are judged and answered, so that a flood does not block other senders.
    package func run(_ messages: AsyncStream<Message>) async {
        let (queue, continuation) = AsyncStream.makeStream(
            of: Accepted.self,
            bufferingPolicy: .bufferingOldest(Self.queueLimit)
        )
        await withTaskGroup { group in
            group.addTask { for await accepted in queue { await self.execute(accepted) } }
            for await message in messages {
                guard let accepted = await self.judge(message) else { continue }
                if case .dropped(let dropped) = continuation.yield(accepted) { await self.refuseAccepted(dropped) }
            }
            continuation.finish()
        }
    }

    /// Refuses an accepted command for which the queue has no room.
    private func refuseAccepted(_ accepted: Accepted) async {
        self.waiting -= 1
        // The journal has this command as accepted, so its id is used up.
        let refusal = accepted.command.refused(.noRoom, "Too many commands are waiting. Try: a new command later.")
        await self.conclude(accepted.command, CommandResult(refusal), accepted.message, accepted.vehicle)
    }

    private static let busyMessage = "Too many commands are waiting. Try: send it again later, under the same id."

    /// Decodes a message, judges the command and answers it.
    ///
    /// - Returns: the accepted command; nil if the message is refused.
    package func judge(_ message: Message) async -> Accepted? {
        let vehicle = await self.host.identify()
        var message = message
        message.properties = message.properties.echo
        let command: Command
        do throws(Refusal) {
            command = try self.command(in: message)
            if let refusal = self.guardian.refusal(ofUnsigned: command) { throw refusal }
        } catch {
            await self.complain(error, about: message, vehicle)
            return nil
        }
        do throws(JournalUnreadable) {
            if var first = try await self.journal.response(to: command.journalKey) {
                guard self.rates.mayRepeat(at: self.clock.now) else { return nil }
                first.repeat = true
                _ = await self.host.respond(first, message, vehicle.name)
                return nil
            }
        } catch {
            guard !command.action.changesVehicle else {
                let refusal = command.refused(
                    .notKept,
                    "The command was not run: the journal of commands cannot be read (\(error.reason)), "
                        + "so it may have run already."
                )
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
        let problem = await self.respond(command, command.response(.accepted), message, vehicle.name)
        if let problem, command.action.changesVehicle {
            self.waiting -= 1
            let refusal = command.refused(
                .notKept,
                "The command was not run: the journal could not be written (\(problem)), "
                    + "so a restart could run it again."
            )
            await self.conclude(command, CommandResult(refusal), message, vehicle.name)
            return nil
        }
        return Accepted(command: command, message: message, vehicle: vehicle.name)
    }

    /// Reads the command of a message, or makes that of a press.
    private func command(in message: Message) throws(Refusal) -> Command {
        guard let press = ButtonPress(message.topic) else {
            return try CommandDecoder.decode(message.payload, keys: self.host.keys(), known: self.host.known())
        }
        let id = "button-\(String(UInt64.random(in: .min ... .max), radix: 16))"
        let command = try press.command(message, id: id, self.guardian, at: self.clock.timestamp)
        guard self.rates.mayPress(at: self.clock.now) else {
            let wait = CommandRates.pressInterval
            let message = "Too many presses arrived. Try: again in \(wait) s."
            throw command.refused(.rateLimited, message, retryAfter: wait)
        }
        return command
    }

    /// Returns the reason why there is no room for a command now; nil if there is.
    ///
    /// Such a command is not written to the journal, so its id can be used again.
    private func refusal(ofTooMany command: Command) async -> Refusal? {
        guard self.waiting < (command.signer == nil ? Self.unsignedQueueLimit : Self.queueLimit) else {
            return command.refused(.busy, Self.busyMessage)
        }
        let wait = command.signer == nil ? await self.host.delayOfStranger() : 0
        guard wait == 0 else {
            return command.refused(
                .rateLimited,
                "The byte budget for responses to unsigned commands is used up. "
                    + "Try: sign the command, or send it again in \(wait) s, under the same id.",
                retryAfter: wait
            )
        }
        if let refusal = await self.refusal(ofResend: command) { return refusal }
        guard self.rates.mayBegin(command, at: self.clock.now) else {
            let wait = CommandRates.interval(isSigned: command.signer != nil)
            return command.refused(
                .rateLimited,
                "Too many commands arrived. Try: send it again in \(wait) s, under the same id.",
                retryAfter: wait
            )
        }
        guard command.action.role > .observer else { return nil }
        guard await self.journal.reach().hasRoom else {
            return command.refused(
                .rateLimited,
                "The journal is full of commands that have not expired. "
                    + "Try: send it again later, under the same id."
            )
        }
        return nil
    }

    /// Returns the reason why a command may not have records published again now; nil if it may.
    private func refusal(ofResend command: Command) async -> Refusal? {
        guard case .resend = command.action else { return nil }
        let wait = await self.host.delayOfResend()
        guard wait > 0 else { return nil }
        return command.refused(
            .rateLimited,
            "As many records as may be published again now have been asked for. "
                + "Try: send it again in \(wait) s, under the same id.",
            retryAfter: wait
        )
    }

    private func refusal(of command: Command, _ message: Message, _ vehicle: Vehicle) async -> Refusal? {
        guard Self.isAddressed(message.topic, to: vehicle.name) else {
            return command.refused(
                .wrongVehicle,
                "The command was sent to another vehicle than the one that is connected now. "
                    + "Try: again, once status shows that vehicle."
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
            "The command was issued before the journal begins (\(begins)), so it may have run already. "
                + "Try: issue it again."
        )
    }

    /// Whether the topic is the command topic of this vehicle, or one below it.
    ///
    /// A queued message outlives a change of vehicle, so its topic can name another vehicle.
    private static func isAddressed(_ topic: Topic, to vehicle: String) -> Bool {
        let levels = topic.description.utf8.split(separator: UInt8(ascii: "/"))
        return levels.dropLast(ButtonPress(topic) == nil ? 1 : 2).last?.elementsEqual(vehicle.utf8) == true
    }

    /// Counts a message that is refused before it becomes a command, and answers it at a limited rate.
    ///
    /// Such messages may come a thousand times a second. The response to an unsigned one is short, and repeats neither
    /// a response topic nor correlation data.
    private func complain(_ refusal: Refusal, about message: Message, _ vehicle: Vehicle) async {
        await self.host.messageDropped()
        let isSigned = refusal.issuer != nil
        var (refusal, message) = (refusal, message)
        refusal.message = refusal.message.prefix(bytes: Self.complaintLimit)
        if !isSigned { message.properties = Message.Properties() }
        guard let silent = self.rates.mayComplain(isSigned: isSigned, at: self.clock.now) else { return }
        self.logger.notice(
            "Message on the command topic refused: \(refusal.message)",
            metadata: ["bytes": "\(message.payload.count)", "unreported": "\(silent)"]
        )
        _ = await self.host.respond(CommandResponse(refusal), message, vehicle.name)
    }

    // MARK: - Running

    /// Runs an accepted command and publishes its result.
    package func execute(_ accepted: Accepted) async {
        let (command, message, vehicle) = (accepted.command, accepted.message, accepted.vehicle)
        defer { self.waiting -= 1 }
        // The command may have waited for other commands and for the vehicle, which may have changed meanwhile.
        let present = await self.vehicle(for: command)
        if let refusal = self.refusal(ofUnidentified: command, present) {
            return await self.conclude(command, CommandResult(refusal), message, vehicle)
        }
        if let refusal = await self.refusal(of: command, message, present) {
            return await self.conclude(command, CommandResult(refusal), message, vehicle)
        }
        let respond = self.host.respond
        let judge: CommandRunner.Judge = { await self.refusal(of: command, message, $0) }
        let outcome = await self.runner.outcome(of: command, for: vehicle, judge: judge) { progress in
            var response = command.response(.running)
            response.progress = progress
            _ = await respond(response, message, vehicle)
        }
        await self.conclude(command, outcome, message, vehicle)
    }

    /// Returns the reason why a command cannot run while the vehicle is unknown; nil if it can.
    ///
    /// Only a command that writes, or that names its vehicle, needs to know the vehicle.
    private func refusal(ofUnidentified command: Command, _ vehicle: Vehicle) -> Refusal? {
        guard Self.mustWait(command, for: vehicle) else { return nil }
        guard command.action.changesVehicle || !command.audience.isEmpty else { return nil }
        return command.refused(
            .vehicleUnknown,
            "The vehicle at the adapter was not identified within \(Self.identificationTimeout.components.seconds) s. "
                + "Try: send the command again once status says vehicle_confirmed."
        )
    }

    /// Whether the command cannot be judged before the vehicle is identified.
    ///
    /// A command that never asks the vehicle is for the topics, and waits only if it names none that has these topics.
    private static func mustWait(_ command: Command, for vehicle: Vehicle) -> Bool {
        guard vehicle.isComing else { return false }
        guard !command.action.needsVehicle else { return true }
        return !command.audience.isEmpty && !command.audience.contains(vehicle.name)
    }

    /// Returns the vehicle once it is identified, or as it is when the timeout or the command expires.
    ///
    /// The broker is often connected before the vehicle is.
    private func vehicle(for command: Command) async -> Vehicle {
        let timeout = min(Self.identificationTimeout, command.expiresAt - self.clock.timestamp)
        let deadline = self.clock.now + max(.zero, timeout)
        while true {
            let vehicle = await self.host.identify()
            guard Self.mustWait(command, for: vehicle), self.clock.now < deadline, !Task.isCancelled else {
                return vehicle
            }
            await self.identificationTimer.wait(until: deadline, on: self.clock)
        }
    }

    private func conclude(_ command: Command, _ result: CommandResult, _ message: Message, _ vehicle: String) async {
        var response = command.response(result.state)
        (response.reason, response.message, response.result) = (result.reason, result.message, result.result)
        var metadata = Self.metadata(command, response.reason)
        metadata[JournalEvent.metadataKey] = "\(JournalEvent.commandEnded.rawValue)"
        self.logger.notice("Command \(response.state.rawValue)", metadata: metadata)
        _ = await self.respond(command, response, message, vehicle)
    }

    /// Writes a response to the journal, then sends it.
    ///
    /// - Returns: the reason why the journal would not survive a power cut; nil if it would.
    private func respond(
        _ command: Command,
        _ response: CommandResponse,
        _ message: Message,
        _ vehicle: String
    ) async -> String? {
        // A command for another vehicle never runs here, so the journal may forget it: a fleet sends many of them.
        let isHarmless = command.action.role == .observer || response.reason == .wrongVehicle
        let date = isHarmless ? nil : command.expiresAt + CommandGuard.skew
        await self.journal.remember(response, to: message, vehicle: vehicle, until: date)
        return await self.host.respond(response, message, vehicle)
    }

    private static func metadata(_ command: Command, _ reason: CommandResponse.Reason?) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["command_id": "\(command.id)", "command": "\(command.action.name.rawValue)"]
        if let signer = command.signer { metadata["issuer"] = "\(signer.issuer)" }
        if let reason { metadata["reason"] = "\(reason.rawValue)" }
        return metadata
    }
}
