// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("Random bytes")
struct RandomBytesTests {
    private static let requests: [Request] =
        [
            .confirmedCodes, .pendingCodes, .permanentCodes, .clearCodes,
            .currentData([0x06, 0x07, 0x55, 0x0C, 0x0D, 0xB4]),
        ]
        + [0x01, 0x0C, 0x41].map { .currentData($0) } + [.freezeFrame(0x02)]
        + InfoType.allCases.map { .vehicleInformation($0) }
        + [.freezeFrame([0x0C, 0x06]), .monitorTests(MonitorID(rawValue: 0x21)), .oxygenSensorTest(0x05, sensor: 1)]

    @Test("Random data never traps a parameter, and every value is in its field's range", arguments: [1, 2, 3, 4])
    func parameters(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var values = 0
        for _ in 0..<25_000 {
            let parameter = try #require(Parameter.catalogue.randomElement(using: &generator))
            let length = Bool.random(using: &generator) ? parameter.length?.upperBound : nil
            let data = Self.bytes(length ?? Int.random(in: 0...50, using: &generator), &generator)
            _ = parameter.isSentinel(data)
            guard let decoded = try? parameter.decode(data) else { continue }
            for value in decoded {
                values += 1
                switch value.value {
                case .number(let number): #expect(value.field.rangeOfValues.contains(number), "\(value.field.name)")
                case .code(let code, _):
                    #expect(value.field.rangeOfValues.contains(Double(code)), "\(value.field.name)")
                case .flag, .text, .names: break
                }
            }
        }
        #expect(values > 10_000)
    }

    @Test("Random messages never trap a reply's decoders", arguments: [1, 2, 3, 4])
    func replies(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var replies = 0
        for _ in 0..<25_000 {
            let request = try #require(Self.requests.randomElement(using: &generator))
            let messages = (0..<Int.random(in: 0...6, using: &generator)).map { number in
                // Half of the messages begin like a reply, so that they reach the inner decoders.
                let head = [request.service.positiveResponse] + request.echo + [UInt8(number + 1)]
                let isSeemly = Int.random(in: 0...9, using: &generator) > 0
                let tail = Self.bytes(
                    Bool.random(using: &generator) ? 4 : Int.random(in: 0...40, using: &generator),
                    &generator
                )
                return (isSeemly ? head : []) + tail
            }
            guard let reply = try? Reply(messages: messages, to: request) else { continue }
            replies += 1
            _ = try? CurrentData.walk(reply.body, requested: Set(request.pids))
            _ = try? CurrentData.walk(reply.body, requested: nil, frame: 0)
            _ = try? MonitorStatus(data: reply.data).data
            _ = try? FreezeFrame.code(reply)
            _ = (try? MonitorTest.decode(reply))?.map(\.verdict)
            _ = (try? ComponentTest.decode(reply))?.map(\.verdict)
            _ = try? ComponentTest.bitmap(reply)
            _ = try? OxygenSensorTest.decode(reply).verdict
            _ = try? ControlRequest.decode(reply)
            _ = try? VehicleInformation.messageCount(reply)
            for layout in [MessageLayout.can, .legacy] {
                _ = try? CodeReply.decode(reply, layout: layout)
                _ = try? VehicleInformation.vin(reply, layout: layout)
                _ = try? VehicleInformation.calibrationIDs(reply, layout: layout)
                _ = try? VehicleInformation.calibrationVerificationNumbers(reply, layout: layout)
                _ = try? VehicleInformation.ecuName(reply, layout: layout)
                _ = try? VehicleInformation.supported(reply, layout: layout)
                _ = try? VehicleInformation.inUsePerformance(reply, layout: layout)
                _ = try? VehicleInformation.number(reply, layout: layout)
            }
        }
        #expect(replies > 1_000)
    }

    @Test("Random data never traps the splitting of a reply, and the parts add up to the message")
    func walk() throws {
        var generator = SeededGenerator(seed: 5)
        var readings = 0
        for _ in 0..<100_000 {
            // Few different bytes, so that PIDs of variable length are frequent.
            let data = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                UInt8.random(in: 0x04...0x0D, using: &generator)
            }
            guard let parts = try? CurrentData.walk(data, requested: nil) else { continue }
            readings += 1
            #expect(parts.flatMap { [$0.pid.rawValue] + $0.data } == data)
        }
        #expect(readings > 1_000)
    }

    @Test("Random values encode to data of the parameter's length")
    func encoding() throws {
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<20_000 {
            let parameter = try #require(Parameter.catalogue.randomElement(using: &generator))
            guard let field = parameter.fields.randomElement(using: &generator) else { continue }
            let number = Double(bitPattern: UInt64.random(in: .min ... .max, using: &generator))
            if let data = parameter.encode([field.key: .number(number)]) {
                #expect(parameter.length?.contains(data.count) == true)
            }
        }
    }

    @Test("Random bytes never trap the decoders of J1939 and OBD on UDS", arguments: [1, 2, 3, 4])
    func dialects(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var codes = 0
        for _ in 0..<25_000 {
            let data = Self.bytes(Int.random(in: 0...40, using: &generator), &generator)
            for group in ParameterGroup.all {
                for value in group.decode(data) {
                    guard case .number(let number) = value.value else { continue }
                    #expect(value.field.rangeOfValues.contains(number))
                }
            }
            codes += (try? DiagnosticMessage(data))?.codes.count ?? 0
            _ = try? J1939Text.vin(data)
            _ = J1939Text.component(data)
            _ = try? ReadinessMessage(data).data
            _ = try? CalibrationMessage(data).data
            _ = try? PerformanceMessage(data).compression
            _ = try? CodeCounts(data)
            _ = try? EngineFamily(data)
            _ = try? IndividualClear(data)
            _ = try? Acknowledgment(data)
            if let layout = try? SupportedSPNs(data), let frames = try? ExpandedFreezeFrames(data).frames {
                for frame in frames { _ = frame.values(by: layout) }
            }
            for result in (try? ScaledTestResult.decode(data)) ?? [] { _ = result.verdict }
            let heads: [[UInt8]] = [
                [0x59, 0x42, 0x33, 0xFF, 0xFF, 0x04], [0x59, 0x02, 0xFF], [0x59, 0x55], [0x59], [],
            ]
            for head in heads {
                codes += (try? UDSCodeReply.decode(head + data, wanted: .confirmed))?.records.count ?? 0
            }
            for request in Self.requests { _ = UDSRequest.j1979Reply(from: [0x62, 0xF4, 0x0C] + data, to: request) }
        }
        #expect(codes > 10_000)
    }

    private static func bytes(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
