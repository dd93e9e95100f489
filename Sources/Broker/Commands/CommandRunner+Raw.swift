// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2

// Raw requests.
extension CommandRunner {
    /// Sends the requests of a command, and records each one with its answers.
    func run(
        _ order: Command.RawOrder,
        _ command: Command,
        _ judge: @escaping Judge,
        _ running: @escaping Running
    ) async throws(VehicleError) -> CommandResult {
        if let request = order.requests.first(where: { $0.effect != .reads }), !self.rules.allowsRawWriting {
            return CommandResult(
                state: .refused,
                reason: .notAllowed,
                message: Self.refusal(of: request, to: order.destination)
            )
        }
        let access = self.access
        return try await self.withBus(judge, running) { bus throws(VehicleError) in
            guard bus.reaches(order.destination) else {
                return CommandResult(
                    state: .refused,
                    reason: .notSupported,
                    message: "The bus of this vehicle does not have such addresses or such requests."
                )
            }
            return try await Self.run(order, command, judge, on: bus, access)
        }
    }

    private static func run(
        _ order: Command.RawOrder,
        _ command: Command,
        _ judge: Judge,
        on bus: any Bus,
        _ access: any VehicleAccess
    ) async throws(VehicleError) -> CommandResult {
        var session = RawSession(order, facts: bus.driveFacts)
        var step = session.begin()
        while true {
            do throws(VehicleError) {
                switch step {
                case .readCodes: step = session.read(try await bus.readCodes())
                case .readMonitors: step = session.read(try await bus.readMonitors())
                case .keep(let codes, let monitors):
                    step = session.kept(await access.keep(AgentEvent(beforeClearBy: command, codes, monitors)))
                case .look(let request): step = session.speedAnswered(try await bus.ask(request))
                case .read(let key): step = session.read(try await bus.read(key))
                case .pause(let duration):
                    try await bus.pause(for: duration)
                    step = session.paused()
                case .authorize: step = session.authorized(try await Self.authorize(command, bus, judge))
                case .send(let request): step = session.answered(try await bus.send(request, to: order.destination))
                case .record(let exchange):
                    step = session.recorded(await access.keep(Self.event(exchange, order, command)))
                case .finished(let outcome):
                    await bus.hold(order.hold)
                    return outcome
                }
            } catch {
                if case .unproven(let reason) = error {
                    // The request that writes was not sent.
                    step = session.authorized(Refusal(reason: .vehicleUnknown, message: reason))
                    continue
                }
                let (record, result) = session.interrupted(error.reason)
                if let record { _ = await access.keep(Self.event(record, order, command)) }
                return result
            }
        }
    }

    /// Returns the message for a request that writes, which the configuration does not allow.
    private static func refusal(of request: RawRequest, to destination: Destination?) -> String {
        guard let header = destination?.header, !header.isDiagnostic else {
            return "\(request) writes, which the configuration does not allow: [commands] raw_writing"
        }
        return "\(request) to \(header) counts as writing, which [commands] raw_writing does not allow: "
            + "\(header) is no diagnostic address. Try: \(Destination.Header.diagnosticRanges)"
    }

    private static func event(_ exchange: JSON, _ order: Command.RawOrder, _ command: Command) -> AgentEvent {
        var event = AgentEvent(.rawRequest)
        (event.commandID, event.issuer) = (command.id, command.signer?.issuer)
        event.ecu = order.destination.map { "\($0.header)" }
        event.exchange = exchange
        return event
    }
}
