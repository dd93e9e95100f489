// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Testing

extension GroupVector: CustomTestStringConvertible {
    var testDescription: String { "\(self.identifier.hexadecimal) \(self.data)" }
}

/// Tests of messages whose values an independent reader has found.
@Suite("J1939 messages of strangers")
struct GroupVectorTests {
    @Test("The values of a message are those of an independent reader", arguments: GroupVector.all)
    func reads(_ vector: GroupVector) async throws {
        let bytes = try #require([UInt8](hexadecimal: vector.data.filter { $0 != " " }))
        let message = GroupMessage(vector.identifier, bytes)
        var oracle = GroupOracle(seed: UInt64(vector.identifier))
        let data = try #require(try await oracle.data(of: message.group, in: [message])[message.source])
        #expect(data == bytes)
        switch vector.expected {
        case .values(let expected):
            let group = try #require(ParameterGroup.withPGN(message.group))
            let decoded = Dictionary(uniqueKeysWithValues: group.decode(data).map { ($0.field.name, $0.value) })
            for (name, value) in expected {
                let number = decoded[name].flatMap(Comparison.number)
                #expect(number.map { abs($0 - (value ?? .nan)) <= 1e-9 } ?? (value == nil), "\(name): \(decoded)")
            }
        case .codes(let lamps, let codes):
            let decoded = try DiagnosticMessage(data)
            #expect(
                [
                    decoded.lamps.malfunctionIndicator, decoded.lamps.redStop, decoded.lamps.amberWarning,
                    decoded.lamps.protect,
                ] == lamps
            )
            #expect(decoded.codes.map { GroupVector.Code($0.spn, $0.fmi, $0.occurrences) } == codes)
        case .notAvailable: #expect(throws: DecodingError.notProgrammed) { try DiagnosticMessage(data) }
        case .oldFormat: #expect(throws: DecodingError.unknownFormat(data[5])) { try DiagnosticMessage(data) }
        case .vin(let vin): #expect(try J1939Text.vin(data).description == vin)
        case .component(let texts): #expect(J1939Text.component(data).prefix(4).elementsEqual(texts))
        case .monitors(let request, let supported, let incomplete):
            let status = try MonitorStatus(data: self.reply(to: request, message.group, data).data)
            #expect(status.supported == supported && status.incomplete == incomplete)
        case .calibrations(let expected):
            let names = try self.reply(to: .vehicleInformation(.calibrationIDs), message.group, data)
            let numbers = try self.reply(
                to: .vehicleInformation(.calibrationVerificationNumbers),
                message.group,
                data
            )
            let pairs = zip(
                try VehicleInformation.calibrationIDs(names, layout: .can),
                try VehicleInformation.calibrationVerificationNumbers(numbers, layout: .can)
            )
            #expect(Dictionary(pairs) { first, _ in first } == expected)
        case .performance(let cycles, let conditions):
            let reply = try self.reply(to: .vehicleInformation(.compressionPerformance), message.group, data)
            let performance = try VehicleInformation.inUsePerformance(reply, layout: .can)
            #expect(performance.ignitionCycles == cycles)
            let read = performance.ratios.map { ($0.monitor, $0.conditions) }
            #expect(Dictionary(read) { first, _ in first } == conditions)
        case .tests(let verdicts):
            let results = try ScaledTestResult.decode(data).map { ($0.fmi, $0.verdict) }
            #expect(Dictionary(results) { first, _ in first } == verdicts)
        }
    }

    private func reply(to request: Request, _ group: PGN, _ data: [UInt8]) throws -> Reply {
        let message = try Dialect.j1939.j1979Reply(from: group.bytes + data, to: request)
        return try Reply(messages: [message], to: request)
    }
}
