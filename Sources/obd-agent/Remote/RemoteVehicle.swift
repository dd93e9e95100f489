// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Contract
import JOSE
import MQTT
import Messages
import Remote
import Timing

/// A vehicle that is far away: sends commands to it, and tells how they fare.
struct RemoteVehicle {
    let broker: RemoteBroker
    /// Its topic level.
    let name: String
    let key: JSONWebKey?
    /// How long a command is valid.
    let life: Duration

    /// Sends a command and waits for its last answer, whatever it is.
    func perform(_ name: String, _ arguments: [String: JSON] = [:]) async throws -> Answer {
        let command = OutgoingCommand(name, arguments, for: self.name, at: .present, life: self.life)
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
                topics: self.broker.topics,
                expiry: self.broker.now + self.life,
                end: self.broker.deadline
            )
        } catch {
            throw CommandFailure(.usage, Printable.text("--vehicle: \(error)"))
        }
        let outcome = try await self.broker.run(exchange, tell: { self.tell($0, of: command) })
        return try self.answer(outcome, to: command)
    }

    /// Tells what became of a command by an exit code, unless it succeeded.
    static func check(_ answer: Answer) throws {
        let reason = answer.reason.map { " (\($0))" } ?? ""
        let words = Printable.text("\(answer.message ?? "the agent does not say why")\(reason)")
        switch answer.state {
        case .succeeded, .accepted, .running: return
        case .failed: throw CommandFailure(.failed, "failed: \(words)")
        case .refused:
            let forbidding: [CommandResponse.Reason] = [.notAllowed, .unsigned, .roleInsufficient, .badSignature]
            let isForbidden = forbidding.contains { $0.rawValue == answer.reason }
            let advice = answer.advice.map { "; \($0)" } ?? ""
            throw CommandFailure(isForbidden ? .noPermission : .refused, "refused: \(words)\(advice)")
        }
    }

    private func tell(_ news: CommandExchange.News, of command: OutgoingCommand) {
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
                    "Nobody has heard of \(self.name) here: is the name right? obd-agent remote list shows those that "
                        + "there are. \(command.command) goes out all the same, valid until \(end)."
                )
            }
        case .availability(let availability):
            Output.note("\(self.name) is \(availability.rawValue) now")
        case .answer(let answer):
            let words = answer.message.map { ": \($0)" } ?? answer.progress.map { ", \($0)" } ?? ""
            Output.note("\(answer.state.rawValue)\(words)" + (answer.isRepeat ? ", as it was said before" : ""))
        case .lost(let error):
            Output.note("\(error); trying again")
        }
    }

    private func answer(_ outcome: CommandExchange.Outcome, to command: OutgoingCommand) throws -> Answer {
        let end = command.expiresAt.text(at: .present)
        switch outcome {
        case .answered(let answer):
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
        case .notReadable:
            throw RemoteBroker.forbidden("the answers of \(self.name)")
        case .notTaken(let code):
            // MQTT 5, section 3.4.2.1: not authorised.
            guard code == 0x87 else {
                throw CommandFailure(.unavailable, "the broker does not take the command (reason code \(code))")
            }
            throw CommandFailure(.noPermission, "the broker does not let this client send commands to \(self.name)")
        }
    }
}
