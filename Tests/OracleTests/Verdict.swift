// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The judgment on a recorded value.
enum Verdict: Hashable, Comparable {
    /// The agent reads the same value.
    case equal
    /// The recording holds the value at the limit of the range, and the agent drops what lies outside of it.
    case outOfRange
    /// The recording has no whole message.
    case noWholeMessage
    /// The recording has several messages, or a whole one beside frames that belong to none, and the agent drops it.
    ///
    /// A stray frame shows that frames were lost, so that a message that began before it may hold a wrong one.
    case doubtful
    /// The message is too short for the signal.
    case tooShort
    /// The set of the model has no such signal today, or has it in another request.
    case notInSet
    /// The catalogue does not have the bits of the signal.
    case notInCatalogue
    /// The import has left the signal out, for this reason.
    case leftOut(String)
    /// The values differ for a known reason.
    case known(String)
    /// The values differ, or the agent has none, for an unknown reason.
    case wrong

    /// The text in the table.
    var text: String {
        switch self {
        case .equal: "equal"
        case .outOfRange: "out of range"
        case .noWholeMessage: "no whole message in the recording"
        case .doubtful: "a whole message beside lost or damaged frames, or several"
        case .tooShort: "message too short for the signal"
        case .notInSet: "not in the set"
        case .notInCatalogue: "not in the catalog"
        case .leftOut(let reason): "left out: \(reason)"
        case .known(let reason): "known difference: \(reason)"
        case .wrong: "WRONG"
        }
    }
}

/// The counts of an oracle's run, and the unexplained differences.
struct Tally {
    private let title: String
    private var counts: [Verdict: Int] = [:]
    /// The number of cases.
    private(set) var cases = 0
    private var wrong: [String: (count: Int, example: String)] = [:]

    init(_ title: String) {
        self.title = title
    }

    /// The number of values with a judgment.
    subscript(verdict: Verdict) -> Int { self.counts[verdict] ?? 0 }

    mutating func begin() { self.cases += 1 }

    /// Counts a value of a signal.
    ///
    /// - Parameter example: the line that describes the value if it is wrong.
    mutating func count(_ verdict: Verdict, of signal: String, _ example: @autoclosure () -> String) {
        self.counts[verdict, default: 0] += 1
        guard verdict == .wrong else { return }
        self.wrong[signal, default: (0, example())].count += 1
    }

    /// The signals with differences, each with the first of them.
    var differences: [String] {
        self.wrong.sorted { $0.key < $1.key }.map { "\($0.key), \($0.value.count) times: \($0.value.example)" }
    }

    /// The table of the counts.
    var table: String {
        let total = self.counts.values.reduce(0, +)
        let rows = self.counts.sorted { $0.key < $1.key }.map { ($0.value, $0.key.text) }
        return ([(self.cases, self.title), (total, "values")] + rows)
            .map { count, text in
                let digits = String(count)
                return String(repeating: " ", count: max(0, 9 - digits.count)) + digits + "  " + text
            }
            .joined(separator: "\n")
    }
}
