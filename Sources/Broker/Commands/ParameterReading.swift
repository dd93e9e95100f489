// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2

/// A single reading of several parameters.
struct ParameterReading: Sendable {
    private let keys: [ParameterKey]
    private let clock: any CalendarClock

    init(_ keys: [ParameterKey], clock: any CalendarClock) {
        self.keys = keys
        self.clock = clock
    }

    /// Reads each parameter.
    ///
    /// The result names the parameters that no ECU reports; they do not make the command fail.
    func run(_ bus: any Bus) async throws(VehicleError) -> CommandResult {
        var values: [String: JSON] = [:]
        var missing: [JSON] = []
        for (index, key) in self.keys.enumerated() {
            if index > 0 { try await bus.letPollPass() }
            let found: [String: JSON]
            switch key {
            case .custom,
                .pid where bus.dialect == .j1939:
                found = self.values(key.name, try await bus.read(key).byECU)
            // The decoder refuses derived parameters.
            case .derived: found = [:]
            case .pid(let parameter):
                let pid = bus.pid(of: parameter)
                found = self.values(of: pid, in: try await bus.ask(.currentData(pid)), bus)
            }
            if found.isEmpty { missing.append(.string(key.name)) }
            values.merge(found) { first, _ in first }
        }
        let result: JSON = ["values": .object(values), "missing": .array(missing)]
        guard !values.isEmpty else {
            return CommandResult(
                state: .failed,
                reason: .noAnswer,
                message: "no ECU reports any of these parameters",
                result: result
            )
        }
        return CommandResult(state: .succeeded, result: result)
    }

    private func values(of pid: PID, in answers: [String: ECUReply], _ bus: any Bus) -> [String: JSON] {
        var values: [String: JSON] = [:]
        // The ECU with the lowest address is the engine's. Its values have the plain name, as on its topic.
        for (index, ecu) in answers.keys.sorted().enumerated() {
            guard case .positive(let messages) = answers[ecu],
                let reply = try? Reply(messages: messages, to: .currentData(pid)),
                Parameter.withPID(pid)?.isSentinel(reply.data) == false,
                let decoded = try? bus.conventions(of: ecu).decode(reply.data, of: pid)
            else { continue }
            for value in decoded {
                values[index == 0 ? value.field.name : "\(value.field.name)/\(ecu)"] = self.json(value, ecu)
            }
        }
        return values
    }

    private func values(_ name: String, _ answers: [String: FieldValue]) -> [String: JSON] {
        var values: [String: JSON] = [:]
        for (index, answer) in answers.sorted(by: { $0.key < $1.key }).enumerated() {
            values[index == 0 ? name : "\(name)/\(answer.key)"] = self.json(answer.value, answer.key)
        }
        return values
    }

    private func json(_ value: FieldValue, _ ecu: String) -> JSON {
        let report = ParameterReport(
            value,
            imperial: false,
            time: self.clock.timestamp,
            ecu: ecu,
            quality: self.clock.quality == .synchronised ? .good : .unsynchronised
        )
        return [
            "value": report.value, "unit": report.unit.map { .string($0) } ?? .null, "ecu": .string(ecu),
            "time": .string(report.time.description), "quality": .string(report.quality.rawValue),
        ]
    }
}
