// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The result of `check` for one part.
struct CheckResult: Encodable, Equatable {
    enum Verdict: String, Encodable {
        case ok
        /// The part works, but something is not as it should be.
        case warning
        case failed
        /// The part could not be checked.
        case skipped

        /// Four characters for the beginning of a line.
        var mark: String {
            switch self {
            case .ok: "ok  "
            case .warning: "warn"
            case .failed: "FAIL"
            case .skipped: "-   "
            }
        }
    }

    var part: String
    var verdict: Verdict
    /// The finding, in one or more lines.
    var text: String
    /// The next step.
    var next: String?

    init(_ part: String, _ verdict: Verdict, _ text: String, next: String? = nil) {
        (self.part, self.verdict, self.text, self.next) = (part, verdict, text, next)
    }

    /// The result as lines of text.
    var lines: [String] {
        let name = self.part + String(repeating: " ", count: max(0, 13 - self.part.count))
        let texts = self.text.split(separator: "\n").map(String.init) + (self.next.map { ["Next: \($0)"] } ?? [])
        return ["\(self.verdict.mark)  \(name)  \(texts.first ?? "")"]
            + texts.dropFirst().map { "                     \($0)" }
    }
}

/// The results of all checks.
struct CheckReport: Encodable {
    let verdict: CheckResult.Verdict
    let results: [CheckResult]
    /// The state of the agent that runs as a service; nil without one.
    let agent: RunningAgent?

    init(_ results: [CheckResult], agent: RunningAgent? = nil) {
        self.results = results
        self.agent = agent
        self.verdict =
            results.contains { $0.verdict == .failed }
            ? .failed : results.contains { $0.verdict == .warning } ? .warning : .ok
    }
}
