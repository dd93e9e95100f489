// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Subscriber
import CommandLine
import Contract
import JOSE
import MQTT
import Base
import Remote

/// A vehicle that is far away: sends commands to it, and tells how they fare.
struct RemoteVehicle {
    let broker: RemoteBroker
    /// Its topic level.
    let name: String
    let key: JSONWebKey?
    /// How long a command is valid.
    let life: Duration

    /// Who signs with the key; nil: nobody.
    private var issuer: String? { self.key.flatMap(OutgoingCommand.issuer) }

    /// Sends a command and waits for its last answer, whatever it is.
    ///
    /// An agent that has just come back may refuse it because the vehicle is not connected yet. An id is obeyed or
    /// refused once, so then it goes out under a new one, valid as long as the first.
    func perform(_ name: String, _ arguments: [String: JSON] = [:]) async throws -> ReceivedResponse {
        let (deadline, expiry) = (self.broker.deadline, self.broker.now + self.life)
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
            guard try await self.arrives(after: refusal, until: min(expiry, deadline ?? expiry)) else { return refusal }
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
            throw CommandFailure(.configuration, "the command can't be signed: \(error)")
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
        return try await self.broker.run(exchange, tell: { self.tell($0, of: command) })
    }

    /// Waits for the vehicle; false where it does not come in time, or nobody may see it come.
    private func arrives(after refusal: ReceivedResponse, until end: MonotonicTime) async throws -> Bool {
        guard self.broker.now < end else { return false }
        Output.note(
            "refused\(refusal.message.map { ": \($0)" } ?? ""); it goes out again, under a new id, once the vehicle is connected"
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
            tell: { news in
                switch news {
                case .connectionLost(let error): Output.note("\(error); trying again")
                }
            }
        )
        return outcome == .connected
    }

    /// Tells what became of a command by an exit code, unless it succeeded.
    static func check(_ answer: ReceivedResponse) throws {
        let reason = answer.reason.map { " (\($0))" } ?? ""
        let words = "\(answer.message ?? "the agent does not say why")\(reason)"
        switch answer.state {
        case .succeeded, .accepted, .running: return
        case .failed: throw CommandFailure(.failed, "failed: \(words)")
        case .refused:
            let forbidding: [CommandResponse.Reason] = [.notAllowed, .unsigned, .roleInsufficient, .badSignature]
            let isForbidden = forbidding.contains { $0.rawValue == answer.reason }
            let advice = answer.advice.map { ". \($0)" } ?? ""
            throw CommandFailure(isForbidden ? .noPermission : .refused, "refused: \(words)\(advice)")
        }
    }

    private func tell(_ news: CommandExchange.Progress, of command: OutgoingCommand) {
        let end = command.expiresAt.text(at: .present)
        switch news {
        case .sending(let picture):
            let signature = self.key?.keyID.map { ", signed by \($0)" } ?? ""
            switch picture.availability {
            case .online:
                let state = picture.activity.isEmpty ? "" : " (\(picture.activity))"
                Output.note("\(self.name) is online\(state): \(command.command) goes out\(signature)")
            case .offline:
                let seen = picture.lastSeen.map { ", last seen \($0.text(at: .present))" } ?? ""
                Output.note("\(self.name) is offline\(seen).")
                Output.note(
                    "The broker keeps \(command.command)\(signature), and the agent obeys it if it is back by \(end); "
                        + "Ctrl-C leaves it there."
                )
            case nil:
                Output.note(
                    "Nobody has heard of \(self.name) here: is the name right? obd-remote list shows those that "
                        + "there are. \(command.command) goes out all the same, valid until \(end)."
                )
            }
        case .availability(let availability):
            Output.note("\(self.name) is \(availability.rawValue) now")
        case .response(let answer):
            let words = answer.message.map { ": \($0)" } ?? answer.progress.map { ", \($0)" } ?? ""
            Output.note("\(answer.state.rawValue)\(words)" + (answer.isRepeat ? ", as it was said before" : ""))
        case .unverifiedRefusal(let answer):
            let words = answer.message.map { ": \($0)" } ?? ""
            Output.note(
                "refused\(words); but that does not name \(self.issuer ?? ""), so it may be about something else with this id: "
                    + "waiting \(TimeSpan(CommandExchange.refusalDelay)) for an answer that does"
            )
        case .connectionLost(let error):
            Output.note("\(error); trying again")
        }
    }

    private func answer(_ outcome: CommandExchange.Outcome, to command: OutgoingCommand) throws -> ReceivedResponse {
        let end = command.expiresAt.text(at: .present)
        switch outcome {
        case .answered(let answer), .refusedOnReturn(let answer):
            if let issuer = self.issuer, answer.issuer != issuer {
                Output.note(
                    "No answer named \(issuer): either the vehicle does not trust the key, or this is about something else."
                )
            }
            if answer.isRepeat {
                Output.note("The agent had answered this command already; this is what it said then.")
            }
            return answer
        case .unanswered(isAccepted: false):
            throw CommandFailure(
                .temporaryFailure,
                "no answer came: \(command.command) has expired at \(end), and does nothing from now on"
            )
        case .unanswered(isAccepted: true):
            throw CommandFailure(
                .temporaryFailure,
                "\(command.command) was accepted, but nothing more was heard: nobody knows how far it came"
            )
        case .pending(let isAccepted):
            let state = isAccepted ? "was accepted, but has not ended" : "is not answered"
            throw CommandFailure(
                .temporaryFailure,
                "\(command.command) \(state) within --timeout; it stays valid until \(end)"
            )
        case .responsesForbidden:
            throw RemoteBroker.forbidden("the answers of \(self.name)")
        case .commandRejected(let code):
            // MQTT 5, section 3.4.2.1: not authorised.
            guard code == 0x87 else {
                throw CommandFailure(.unavailable, "the broker does not take the command (reason code \(code))")
            }
            throw CommandFailure(.noPermission, "the broker does not let this client send commands to \(self.name)")
        }
    }
}
