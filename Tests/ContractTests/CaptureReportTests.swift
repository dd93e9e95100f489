// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Testing

@Suite("Captures in the contract")
struct CaptureReportTests {
    private static let moment = Timestamp(milliseconds: 1_795_255_200_000)

    private static var report: CaptureReport {
        var report = CaptureReport(
            rule: "code",
            trigger: .codeAppeared,
            before: 1,
            after: 0.5,
            ended: .complete,
            series: [
                "engine_speed": .init(ecu: "7E8", scale: 0.25, dt: [-1000, 1000, 500], dv: [3200, 4, -4]),
                "vehicle_speed/7E9": .init(ecu: "7E9", scale: 1, dt: [0], dv: [50]),
            ]
        )
        (report.code, report.ecu) = ("P0301", "7E8")
        report.thinned = ["engine_speed": 2]
        return report
    }

    @Test("What is written is read again")
    func roundTrip() throws {
        var event = AgentEvent(.capture)
        event.capture = Self.report
        let json = try JSON(encoding: event)
        #expect(json["event"] == "capture")
        #expect(CaptureReport(json["capture"]) == Self.report)
        #expect(CaptureReport(["rule": "x"]) == nil)
    }

    @Test("A wide table has a row for each time, with the seconds since the moment")
    func wide() {
        let table = Self.report.table(
            of: "van",
            at: Self.moment,
            clock: .synchronised,
            isWide: true,
            as: .csv
        ) { _ in nil }
        let lines = table.split(separator: "\r\n")
        let times = [-1000, 0, 500].map { Self.moment + .milliseconds($0) }
        #expect(
            lines == [
                "seconds,time,engine_speed,vehicle_speed/7E9", "-1,\(times[0]),800,", "0,\(times[1]),801,50",
                "0.5,\(times[2]),800,",
            ]
        )
    }

    @Test("A long table has a row for each reading, with its unit")
    func long() {
        let table = Self.report.table(
            of: "van",
            at: Self.moment,
            clock: .synchronised,
            isWide: false,
            as: .jsonl
        ) { $0 == "engine_speed" ? "1/min" : nil }
        let lines = table.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.count { $0.contains("\"unit\":\"1/min\"") } == 3)
        #expect(lines.allSatisfy { $0.contains("\"rule\":\"code\"") })
    }
}
