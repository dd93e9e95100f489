// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("Freeze frames")
struct FreezeFrameTests {
    private func code(_ message: String) throws -> DTC? {
        try FreezeFrame.code(Reply(messages: [bytes(message)], to: .freezeFrame(0x02)))
    }

    @Test("PID 02 is the code that caused the frame; zeros mean that no frame is stored")
    func cause() throws {
        #expect(try self.code("42 02 00 01 43") == DTC("P0143"))
        #expect(try self.code("42 02 00 00 00") == nil)
        #expect(throws: DecodingError.wrongLength(expected: 2...2, actual: 1)) { try self.code("42 02 00 01") }
        #expect(throws: DecodingError.wrongEcho(expected: [0x02, 0x00], actual: [0x02, 0x01])) {
            try self.code("42 02 01 01 43")
        }
        #expect(throws: DecodingError.wrongEcho(expected: [0x02], actual: [0x0C])) {
            try FreezeFrame.code(Reply(messages: [bytes("42 0C 00 1A F8")], to: .freezeFrame(0x0C)))
        }
    }

    @Test("The data and the bitmaps of a frame decode as those of service 01")
    func data() throws {
        let reply = try Reply(messages: [bytes("42 0C 00 1A F8")], to: .freezeFrame(0x0C))
        let parameter = try #require(Parameter.withPID(0x0C))
        #expect(try parameter.decode(reply.data).map(\.value) == [.number(1726)])
        var supported = SupportedPIDs()
        let bitmap = try Reply(messages: [bytes("42 00 00 7E 1F 80 01")], to: .freezeFrame(0x00))
        try supported.merge(base: 0x00, bitmap: bitmap.data)
        #expect(supported.contains(0x02) && !supported.contains(0x01) && supported.nextBitmap == 0x20)
    }

    @Test("A reply with several PIDs of a frame is split, with the frame number after each PID")
    func several() throws {
        let request = Request.freezeFrame([0x0C, 0x0D, 0x05], frame: 1)
        #expect(request.payload == bytes("02 0C 01 0D 01 05 01") && request.echo.isEmpty)
        let message = FreezeFrame.encode([(0x0C, [0x1A, 0xF8]), (0x05, [0x7B])], frame: 1)
        #expect(message == bytes("42 0C 01 1A F8 05 01 7B"))
        let reply = try Reply(messages: [message], to: request)
        let parts = try CurrentData.walk(reply.body, requested: [0x0C, 0x0D, 0x05], frame: 1)
        #expect(parts.map(\.pid) == [0x0C, 0x05] && parts.map(\.data) == [[0x1A, 0xF8], [0x7B]])
        for (broken, error) in [
            ("0C 01 1A F8 05 00 7B", .wrongEcho(expected: [1], actual: [0])),
            ("0C 01 1A F8 05", .wrongEcho(expected: [1], actual: [])),
            ("0C 01 1A F8 05 01", .wrongLength(expected: 1...1, actual: 0)),
            ("0C 01 1A F8 0B 01 7B", .unexpectedPID(0x0B)),
        ] as [(String, DecodingError)] {
            #expect(throws: error) {
                try CurrentData.walk(bytes(broken), requested: [0x0C, 0x0D, 0x05], frame: 1)
            }
        }
    }
}

@Suite("In-use performance and numbers of service 09")
struct InUsePerformanceTests {
    private static func performance(_ ignition: Ignition, monitors: Int) -> InUsePerformance {
        let names = InUsePerformance.monitors(ignition).prefix(monitors).enumerated()
        return InUsePerformance(
            ignition: ignition,
            monitoringConditions: 300,
            ignitionCycles: 65_535,
            ratios: names.map { .init(monitor: $1, completions: $0, conditions: 10 * $0) }
        )
    }

    @Test(
        "Counters have the monitors in the standard's order, on every bus",
        arguments: [
            (.spark, 7), (.spark, 8), (.spark, 9), (.spark, 13), (.compression, 7), (.compression, 8),
        ] as [(Ignition, Int)]
    )
    func order(_ ignition: Ignition, monitors: Int) throws {
        let performance = Self.performance(ignition, monitors: monitors)
        let type: InfoType = ignition == .spark ? .sparkPerformance : .compressionPerformance
        for layout in [MessageLayout.can, .legacy] {
            let messages = VehicleInformation.encode(inUsePerformance: performance, layout: layout)
            #expect(messages.count == (layout == .can ? 1 : monitors + 1))
            let reply = try Reply(messages: messages, to: .vehicleInformation(type))
            #expect(try VehicleInformation.inUsePerformance(reply, layout: layout) == performance)
            #expect(throws: DecodingError.self) {
                let less = layout == .can ? [messages[0].dropLast()].map(Array.init) : Array(messages.dropFirst())
                let cut = try Reply(messages: less, to: .vehicleInformation(type))
                return try VehicleInformation.inUsePerformance(cut, layout: layout)
            }
        }
        #expect(performance.ratios.first?.value == nil && performance.ratios.last?.value == 0.1)
    }

    @Test("Sixteen counters decode from CAN bytes", arguments: [InfoType.sparkPerformance, .compressionPerformance])
    func bytesOnCAN(_ type: InfoType) throws {
        let counters: [[UInt8]] = (1...16).map { [0, UInt8($0)] }
        let message: [UInt8] = [0x49, type.rawValue, 16] + counters.joined()
        let reply = try Reply(messages: [message], to: .vehicleInformation(type))
        let performance = try VehicleInformation.inUsePerformance(reply, layout: .can)
        #expect((performance.monitoringConditions, performance.ignitionCycles) == (1, 2))
        #expect(performance.ratios.map(\.completions) == [3, 5, 7, 9, 11, 13, 15])
        #expect(performance.ratios.map(\.conditions) == [4, 6, 8, 10, 12, 14, 16])
        #expect(performance.ratios.first?.monitor == (type == .sparkPerformance ? "catalyst_b1" : "nmhc_catalyst"))
        #expect(performance.ratios.last?.monitor == (type == .sparkPerformance ? "evap" : "boost_pressure"))
    }

    @Test("Twenty-eight counters end with air-fuel imbalance and particulate filters")
    func counters28() throws {
        let counters: [[UInt8]] = (1...28).map { [0, UInt8($0)] }
        let message: [UInt8] = [0x49, 0x08, 28] + counters.joined()
        let reply = try Reply(messages: [message], to: .vehicleInformation(.sparkPerformance))
        let performance = try VehicleInformation.inUsePerformance(reply, layout: .can)
        let last = performance.ratios.suffix(4)
        #expect(
            last.map(\.monitor) == [
                "air_fuel_imbalance_b1", "air_fuel_imbalance_b2", "pm_filter_b1", "pm_filter_b2",
            ]
        )
        #expect(last.map(\.completions) == [21, 23, 25, 27])
        #expect(last.map(\.conditions) == [22, 24, 26, 28])
    }

    @Test("A wrong number of counters is refused", arguments: [0, 2, 14, 17, 22, 24, 26])
    func otherCounts(_ count: Int) throws {
        let message = [0x49, 0x08, UInt8(count)] + [UInt8](repeating: 1, count: 2 * count)
        let reply = try Reply(messages: [message], to: .vehicleInformation(.sparkPerformance))
        #expect(throws: DecodingError.wrongCount(declared: count, present: 28)) {
            try VehicleInformation.inUsePerformance(reply, layout: .can)
        }
    }

    @Test("Serial and approval numbers are text", arguments: [InfoType.engineSerialNumber, .typeApprovalNumber])
    func numbers(_ type: InfoType) throws {
        let reply = try Reply(
            messages: VehicleInformation.encode(number: "N54B30A-00218843X", type: type),
            to: .vehicleInformation(type)
        )
        #expect(try VehicleInformation.number(reply, layout: .can) == "N54B30A-00218843X")
        let empty = try Reply(
            messages: VehicleInformation.encode(number: "", type: type),
            to: .vehicleInformation(type)
        )
        #expect(throws: DecodingError.notProgrammed) { try VehicleInformation.number(empty, layout: .can) }
        let short = try Reply(messages: [[0x49, type.rawValue, 1, 0x41]], to: .vehicleInformation(type))
        #expect(throws: DecodingError.wrongCount(declared: 1, present: 0)) {
            try VehicleInformation.number(short, layout: .can)
        }
    }

    @Test("The older buses report the number of messages")
    func messageCounts() throws {
        let request = Request.vehicleInformation(.vinMessageCount)
        #expect(VehicleInformation.encode(messageCount: 5, type: .vinMessageCount) == [bytes("49 01 05")])
        #expect(try VehicleInformation.messageCount(Reply(messages: [bytes("49 01 05")], to: request)) == 5)
        #expect(throws: DecodingError.wrongLength(expected: 1...1, actual: 2)) {
            try VehicleInformation.messageCount(Reply(messages: [bytes("49 01 05 00")], to: request))
        }
    }
}
