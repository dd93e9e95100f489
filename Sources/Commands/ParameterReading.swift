// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import OBD2

/// Reads parameters once, now.
struct ParameterReading: Sendable {
    private let pids: [PID]
    private let clock: any CalendarClock

    init(_ pids: [PID], clock: any CalendarClock) {
        self.pids = pids
        self.clock = clock
    }

    /// Asks for each parameter.
    ///
    /// One that no ECU tells is named, and does not fail the others.
    func run(_ bus: any Bus) async throws(VehicleError) -> CommandResult {
        var values: [String: JSON] = [:]
        var missing: [JSON] = []
        for pid in self.pids {
            guard let parameter = Parameter.withPID(pid) else { continue }
            let answers = try await bus.ask(.currentData(pid))
            let found = self.values(of: parameter, in: answers)
            if found.isEmpty { missing.append(.string(parameter.name)) }
            values.merge(found) { first, _ in first }
        }
        let result: JSON = ["values": .object(values), "missing": .array(missing)]
        guard !values.isEmpty else {
            return CommandResult(
                state: .failed,
                reason: .noAnswer,
                message: "no ECU tells any of these parameters",
                result: result
            )
        }
        return CommandResult(state: .succeeded, result: result)
    }

    private func values(of parameter: Parameter, in answers: [String: ECUAnswer]) -> [String: JSON] {
        var values: [String: JSON] = [:]
        // The lowest address is the engine's, and owns the name, as it owns the topic.
        for (index, ecu) in answers.keys.sorted().enumerated() {
            guard case .positive(let messages) = answers[ecu],
                let reply = try? Reply(messages: messages, to: .currentData(parameter.pid)),
                !parameter.isSentinel(reply.data), let decoded = try? parameter.decode(reply.data)
            else { continue }
            for value in decoded {
                let report = ParameterReport(
                    value,
                    imperial: false,
                    time: self.clock.timestamp,
                    ecu: ecu,
                    quality: self.clock.quality == .synchronised ? .good : .unsynchronised
                )
                values[index == 0 ? value.field.name : "\(value.field.name)/\(ecu)"] = [
                    "value": report.value, "unit": report.unit.map { .string($0) } ?? .null, "ecu": .string(ecu),
                    "time": .string(report.time.description), "quality": .string(report.quality.rawValue),
                ]
            }
        }
        return values
    }
}
