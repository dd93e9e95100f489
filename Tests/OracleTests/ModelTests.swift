// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

/// The recorded replies of models, read by the whole path from an adapter's text to a value.
@Suite("Replies of real vehicles", .enabled(if: Recordings.areThere, Recordings.hint))
struct ModelTests {
    @Test(
        "Values of manufacturers' requests are those of an independent reader",
        arguments: [(service: "21", equal: 14_800), (service: "22", equal: 191_000)]
    )
    func models(service: String, equal: Int) async throws {
        var oracle = try ModelOracle("cases of service \(service)", seed: 22)
        for line in try Recordings.lines("obdb/cases-\(service).tsv.gz") {
            try await oracle.judge(try #require(RecordedCase(line), "not a case: \(line.prefix(200))"))
        }
        Self.report(oracle.tally, atLeast: equal)
    }

    @Test("Values of service 01 are those of an independent reader")
    func standard() async throws {
        var oracle = try StandardOracle("cases of service 01", seed: 1)
        for line in try Recordings.lines("obdb/cases-01.tsv.gz") {
            try await oracle.judge(try #require(RecordedCase(line), "not a case: \(line.prefix(200))"))
        }
        Self.report(oracle.tally, atLeast: 15_300)
    }

    /// Prints the table of the counts, and fails for each signal with an unexplained difference.
    ///
    /// - Parameter equal: the least number of equal values, so that a reader that reads nothing fails.
    private static func report(_ tally: Tally, atLeast equal: Int) {
        print(tally.table)
        for difference in tally.differences { Issue.record("\(difference)") }
        #expect(tally[.equal] >= equal)
    }
}
