// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import Contract
import JOSE
import MQTT
import Remote
import Subscriber

/// Sends commands to a vehicle over a broker, and reports their progress.
struct RemoteVehicle {
    let broker: BrokerAccess
    /// The vehicle's topic level.
    let name: String
    let key: JSONWebKey?
    /// The time until a command expires.
    let validity: Duration
    /// Whether only what hinders a command is reported, and not its course.
    var isQuiet = false

    /// The issuer of the key; nil for unsigned commands.
    private var issuer: String? { self.key.flatMap(OutgoingCommand.issuer) }

    /// Sends a command and waits for its final response.
    ///
    /// An agent that has just reconnected may refuse a command because the vehicle is not connected yet. The agent runs
    /// or refuses an id once, so the command is sent again under a new id, with the same expiry.
    func perform(_ name: String, _ arguments: [String: JSON] = [:]) async throws -> ReceivedResponse {
        let (deadline, expiry) = (self.broker.deadline, self.broker.now + self.validity)
        while true {
            let command = OutgoingCommand(
                name,
                arguments,
                for: self.name,
                at: .present,
                validity: expiry - self.broker.now
            )
            let outcome = try await self.send(command, expiry: expiry, end: deadline)
            guard case .refusedOnReturn(let refusal) = outcome else { return try self.answer(outcome, to: command) }
            guard try await self.waitForVehicle(after: refusal, until: min(expiry, deadline ?? expiry)) else {
                return refusal
            }
        }
    }

    private func send(
        _ command: OutgoingCommand,
        expiry: MonotonicTime,
        end: MonotonicTime?
    ) async throws -> CommandExchange.Outcome {
        let payload: [UInt8]
        do {
            payload = try command.payload(signedBy: self.key)
        } catch {
            throw CommandFailure(
                .configuration,
                "the command can't be signed: \(error)",
                next: "another --signing-key; obd-remote key creates one."
            )
        }
        let exchange: CommandExchange
        do {
            exchange = try CommandExchange(
                command,
                payload: payload,
                issuer: self.issuer,
                topics: self.broker.topics,
                expiry: expiry,
                end: end
            )
        } catch {
            throw CommandFailure(.usage, "--vehicle: \(error)")
        }
        return try await self.broker.run(exchange, report: { self.report($0, of: command) })
    }

    /// Waits until the vehicle is connected.
    ///
    /// - Returns: false if it is not connected in time, or if the broker does not let this client see it.
    private func waitForVehicle(after refusal: ReceivedResponse, until end: MonotonicTime) async throws -> Bool {
        guard self.broker.now < end else { return false }
        Output.note(
            "refused\(refusal.message.map { ": \($0)" } ?? ""); it is sent again, under a new id, once the vehicle is connected"
        )
        let arrival: VehicleArrival
        do {
            arrival = try VehicleArrival(
                of: self.name,
                since: refusal.time,
                topics: self.broker.topics,
                end: end
            )
        } catch {
            throw CommandFailure(.usage, "--vehicle: \(error)")
        }
        let outcome = try await self.broker.run(
            arrival,
            report: { progress in
                switch progress {
                case .connectionLost(let error): Output.note("\(error); reconnecting")
                }
            }
        )
        return outcome == .connected
    }

    /// Throws a failure with the command's exit status, unless the command succeeded.
    static func check(_ answer: ReceivedResponse, to command: String) throws {
        var (message, next) = (OptionWords.message(answer.message ?? "the agent gives no reason", of: command), "")
        if let reason = answer.reason {
            // The reason stands before the next step.
            if let start = message.firstRange(of: " Try: ")?.lowerBound {
                (message, next) = (String(message[..<start]), ".\(message[start...])")
            }
            if message.hasSuffix(".") { message.removeLast() }
            if next.hasSuffix(".") { next.removeLast() }
            message += " (\(reason))"
        }
        let words = message + next
        let advice = answer.advice.map { ". \($0)" } ?? ""
        switch answer.state {
        case .succeeded where answer.isResultLeftOut:
            throw CommandFailure(.resultLeftOut, "succeeded: \(words)\(advice)")
        case .succeeded, .accepted, .running: return
        case .failed: throw CommandFailure(.failed, "failed: \(words)\(advice)")
        case .refused:
            let forbidding: [CommandResponse.Reason] = [.notAllowed, .unsigned, .roleInsufficient, .badSignature]
            let isForbidden = forbidding.contains { $0.rawValue == answer.reason }
            throw CommandFailure(isForbidden ? .noPermission : .refused, "refused: \(words)\(advice)")
        }
    }

    private func report(_ progress: CommandExchange.Progress, of command: OutgoingCommand) {
        let end = command.expiresAt.text(at: .present)
        switch progress {
        case .sending where self.isQuiet, .response where self.isQuiet, .availability where self.isQuiet: break
        case .sending(let picture):
            let signature = self.key?.keyID.map { ", signed by \($0)" } ?? ""
            switch picture.availability {
            case .online:
                let state = picture.activity.isEmpty ? "" : " (\(picture.activity))"
                Output.note("\(self.name) is online\(state): sending \(command.command)\(signature)")
            case .offline:
                let seen = picture.lastSeen.map { ", last seen \($0.text(at: .present))" } ?? ""
                Output.note("\(self.name) is offline\(seen).")
                Output.note(
                    "The broker queues \(command.command)\(signature). The agent runs it if it is back by \(end). "
                        + "Ctrl-C leaves it queued."
                )
            case nil:
                Output.note(
                    "The broker knows no vehicle \(self.name). Sending \(command.command) anyway, valid until "
                        + "\(end). Try: obd-remote list, which shows the names."
                )
            }
        case .availability(let availability):
            Output.note("\(self.name) is \(availability.rawValue) now")
        case .response(let answer):
            let words = answer.message.map { ": \($0)" } ?? answer.progress.map { ", \($0)" } ?? ""
            Output.note("\(answer.state.rawValue)\(words)" + (answer.isRepeat ? " (repeated)" : ""))
        case .waiting(let answer, let wait):
            let words = answer.message.map { ": \($0)" } ?? ""
            Output.note("\(answer.state.rawValue)\(words) It is sent again in \(TimeSpan(wait)).")
        case .unverifiedRefusal(let answer):
            let words = answer.message.map { ": \($0)" } ?? ""
            Output.note(
                "refused\(words). This response does not name the signer \(self.issuer ?? ""), so it may belong to another "
                    + "command with this id. Waiting \(TimeSpan(CommandExchange.refusalDelay)) for one that does."
            )
        case .connectionLost(let error):
            Output.note("\(error); reconnecting")
        }
    }

    private func answer(_ outcome: CommandExchange.Outcome, to command: OutgoingCommand) throws -> ReceivedResponse {
        let end = command.expiresAt.text(at: .present)
        switch outcome {
        case .answered(let answer), .refusedOnReturn(let answer):
            if let issuer = self.issuer, answer.issuer != issuer {
                Output.note(
                    "No response names the signer \(issuer): the vehicle does not trust the key, or this response belongs "
                        + "to another command. Try: have the vehicle trust the key, see docs/tasks/use-obd-remote.md."
                )
            }
            if answer.isRepeat {
                Output.note("The agent had already answered this command. This is its earlier response.")
            }
            return answer
        case .unanswered(isAccepted: false):
            throw CommandFailure(
                .temporaryFailure,
                "no response to \(command.command), which expired at \(end): the agent no longer runs it",
                next: "obd-remote list, which shows whether the agent is online."
            )
        case .unanswered(isAccepted: true):
            throw CommandFailure(
                .temporaryFailure,
                "\(command.command) was accepted, but no result came: its effect is unknown",
                next: "read the vehicle's present state, for example with obd-remote codes, before you repeat it."
            )
        case .pending(let isAccepted):
            let state = isAccepted ? "was accepted, but has not ended" : "is not answered"
            throw CommandFailure(
                .temporaryFailure,
                "\(command.command) \(state) within --timeout; it stays valid until \(end)",
                next: "a longer --timeout."
            )
        case .unsent:
            throw CommandFailure(
                .unavailable,
                "\(self.broker.name) has not answered in time, so \(command.command) was not sent",
                next: "check the network and that the broker runs, then repeat the command."
            )
        case .responsesForbidden:
            throw BrokerAccess.forbidden("the responses of \(self.name)")
        case .commandRejected(let code):
            // MQTT 5, section 3.4.2.1: not authorised.
            guard code == 0x87 else {
                throw CommandFailure(
                    .unavailable,
                    "the broker rejected the command (MQTT 5 reason code 0x\(code.hexadecimal))",
                    next: "read the broker's log."
                )
            }
            throw CommandFailure(
                .noPermission,
                "the broker does not let this client send commands to \(self.name)",
                next: "another --username, or a rule for this user in the broker's access list."
            )
        }
    }
}
