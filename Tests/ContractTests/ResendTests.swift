// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Testing

@Suite("The payloads of resend")
struct ResendTests {
    @Test("A request names at most 1000 numbers of a recorded stream")
    func requests() throws {
        #expect(ResendArguments(.responses, epoch: 1, from: 1) == nil)
        #expect(ResendArguments(.events, epoch: 1, from: 0) == nil)
        #expect(ResendArguments(.events, epoch: 1, from: 2, to: 1) == nil)
        #expect(ResendArguments(.events, epoch: 1, from: 1, to: 1001) == nil)
        let open = try #require(ResendArguments(.events, epoch: 1, from: 5))
        #expect(open.numbers == 5...1004)
        #expect(open.arguments == ["stream": "events", "epoch": 1, "from": 5])
        let closed = try #require(ResendArguments(.telemetry, epoch: 1, from: 5, to: 6))
        #expect(closed.arguments == ["stream": "telemetry", "epoch": 1, "from": 5, "to": 6])
        #expect(try #require(ResendArguments(.events, epoch: 1, from: ResendArguments.largest)).numbers.count == 1000)
    }

    private static let report = ResendReport(
        .telemetry,
        epoch: 7,
        from: 3,
        to: 12,
        records: 6,
        missing: [3...4, 9...10],
        last: 40
    )

    @Test("A report is read as it was written")
    func report() throws {
        let json = Self.report.json
        #expect(
            json == [
                "stream": "telemetry", "epoch": 7, "from": 3, "to": 12, "records": 6, "missing": [[3, 4], [9, 10]],
                "last": 40,
            ]
        )
        #expect(ResendReport(JSON(payload: Array(json.text.utf8))) == Self.report)
    }

    @Test(
        "A report with ranges out of order or out of bounds is none",
        arguments: [
            ("missing", [[4, 3]]), ("missing", [[9, 10], [3, 4]]), ("missing", [[3, 5], [5, 6]]),
            ("missing", [[2, 3]]),
            ("missing", [[3, 13]]), ("missing", [[3]]), ("missing", [["3", 4]]), ("stream", "codes"), ("from", 0),
            ("to", 1), ("records", -1), ("records", 1001), ("last", .null),
        ] as [(String, JSON)]
    )
    func invalid(key: String, value: JSON) {
        guard case .object(var members) = Self.report.json else { return }
        members[key] = value
        #expect(ResendReport(.object(members)) == nil)
    }
}
