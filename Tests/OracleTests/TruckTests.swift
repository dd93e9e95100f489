// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

/// The messages of a heavy truck.
@Suite("A recorded truck", .enabled(if: Recordings.areThere, Recordings.hint))
struct TruckTests {
    /// The groups that the agent reads beside those of the catalogue.
    ///
    /// A request is read in `decode` only: it comes from a tester or from another ECU.
    private static let others = Set(PGN.named.map(\.group)).subtracting([.request])

    @Test("Each message of the truck is read whole, or belongs to a group that the agent does not read")
    func everyMessage() async throws {
        let messages = try Recordings.lines("j1939/truck-frames.txt.gz").compactMap { GroupMessage(line: $0) }
        var oracle = GroupOracle(seed: 39)
        var read = 0
        var foreign = 0
        var values: [String: [Double]] = [:]
        var codes = 0
        for (index, message) in messages.enumerated() {
            let group = ParameterGroup.withPGN(message.group)
            guard group != nil || Self.others.contains(message.group) else {
                foreign += 1
                continue
            }
            // The agent keeps the newest message of a sender.
            let around = messages[max(0, index - 6)...min(messages.count - 1, index + 6)]
                .filter { $0.group != message.group || $0.source != message.source }
            let mixed = around.prefix(around.count / 2) + [message] + around.dropFirst(around.count / 2)
            let data = try await oracle.data(of: message.group, in: Array(mixed))
            #expect(data[message.source] == message.data, "\(message.lines)")
            read += 1
            if message.group == .activeCodes { codes += try DiagnosticMessage(message.data).codes.count }
            for value in group?.decode(data[message.source] ?? []) ?? [] {
                if case .number(let number) = value.value { values[value.field.name, default: []].append(number) }
            }
        }
        let count = values.values.reduce(0) { $0 + $1.count }
        print(
            "\(messages.count) messages of a truck: \(read) read with \(count) values and \(codes) codes, "
                + "\(foreign) of other groups"
        )
        #expect(read == 503 && count == 929 && codes == 0 && foreign == 2142)
        // The truck stands with the ignition on and a cold engine.
        #expect(values["engine_speed"]?.allSatisfy { $0 == 0 } == true)
        #expect(values["coolant_temperature"]?.allSatisfy { $0 == 11 } == true)
        #expect(values["battery_voltage"]?.allSatisfy { (10.9...11.3).contains($0) } == true)
        #expect(values["fuel_level"]?.allSatisfy { abs($0 - 81.6) < 0.001 } == true)
        #expect(values["odometer"]?.allSatisfy { (57_088...57_091).contains($0) } == true)
    }
}
