// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The readiness of a vehicle's monitors, and the results of its on-board tests.
struct ReadinessView: Hashable, Sendable {
    /// The largest number of test results.
    private static let limit = 512

    /// A monitor, with whether it is complete.
    struct Monitor: Hashable, Sendable {
        let name: String
        let isComplete: Bool
    }

    /// The result of a test as texts for the user.
    struct Test: Hashable, Sendable {
        /// The tested component and the measured quantity.
        let subject: String
        let ecu: String
        /// The value with its limits, such as `0.31 V of 0.1 to 0.9`; empty if the test has not run.
        let figures: String
        let verdict: String

        var hasFailed: Bool { self.verdict == "failed" }
    }

    let time: Timestamp?
    let monitors: [Monitor]
    /// The monitors of the last driving cycle that was read.
    let cycle: [Monitor]
    /// The time of ``cycle``.
    let cycleTime: Timestamp?
    /// The results, the failed ones first.
    let tests: [Test]
    /// The time of ``tests``.
    let testTime: Timestamp?

    /// Reads the payload of `monitors`; nil if it has none.
    init?(_ json: JSON) {
        guard case .object = json["monitors"] else { return nil }
        self.time = json["time"].time
        self.monitors = Self.monitors(json["monitors"])
        self.cycle = Self.monitors(json["cycle"]["monitors"])
        self.cycleTime = json["cycle"]["time"].time
        let tests = json["tests"]["results"].elements.prefix(Self.limit).map(Self.test)
        self.tests = tests.filter(\.hasFailed) + tests.filter { !$0.hasFailed }
        self.testTime = json["tests"]["time"].time
    }

    /// The names of the monitors that are not complete.
    var open: [String] { self.monitors.filter { !$0.isComplete }.map(\.name) }

    /// Returns the numbers of test results by verdict, such as `34 passed`.
    var counts: [(verdict: String, count: Int)] {
        ["failed", "passed", "not_run", "unknown"].compactMap { verdict in
            let count = self.tests.count { $0.verdict == verdict }
            return count > 0 ? (CodeView.phrase(verdict), count) : nil
        }
    }

    private static func monitors(_ json: JSON) -> [Monitor] {
        json.members.prefix(64).map { name, state in
            let word = Words.term("monitor.\(name)") ?? CodeView.phrase(name.prefix(bytes: 40))
            return Monitor(name: Printable.text(word), isComplete: state == "complete")
        }
    }

    private static func test(_ json: JSON) -> Test {
        let component = json["component"].count.map { "component \($0)" }
        let monitor = json["monitor"].string.map { "monitor \($0)" }
        let words = [
            json["subject"].string ?? component ?? monitor,
            json["quantity"].string ?? json["test"].string.map { "test \($0)" },
        ]
        return Test(
            subject: Printable.text(words.compactMap(\.self).joined(separator: ", ").prefix(bytes: 120)),
            ecu: Printable.text((json["ecu"].string ?? "").prefix(bytes: 16)),
            figures: Self.figures(json),
            verdict: Printable.text((json["verdict"].string ?? "").prefix(bytes: 16))
        )
    }

    private static func figures(_ json: JSON) -> String {
        func text(_ json: JSON) -> String? { json.double.flatMap { $0.isFinite ? JSON.number($0).shown : nil } }
        guard let value = text(json["value"]) else { return "" }
        let unit = json["unit"].string.map { " \($0)" } ?? ""
        let limits =
            switch (text(json["minimum"]), text(json["maximum"])) {
            case (let low?, let high?): " (\(low) to \(high))"
            case (let low?, nil): " (at least \(low))"
            case (nil, let high?): " (at most \(high))"
            case (nil, nil): ""
            }
        return Printable.text("\(value)\(unit)\(limits)".prefix(bytes: 80))
    }
}
