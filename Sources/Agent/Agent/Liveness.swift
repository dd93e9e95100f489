// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// Which parts of the agent work: each is asked, and one that does not answer, or says that it does not get on, is stuck.
struct Liveness: Sendable {
    /// What a part's last answer was, or since when it owes one.
    private enum State {
        case asked(MonotonicTime)
        case answered(Bool)
    }

    /// How long an answer may take.
    let patience: Duration
    private var states: [String: State] = [:]
    private let parts: [String]

    init(parts: [String], patience: Duration) {
        (self.parts, self.patience) = (parts, patience)
    }

    /// - Returns: the parts that are to be asked now: those that do not owe an answer.
    mutating func look(at now: MonotonicTime) -> [String] {
        let due = self.parts.filter {
            if case .asked = self.states[$0] { false } else { true }
        }
        for part in due { self.states[part] = .asked(now) }
        return due
    }

    /// - Parameter isWell: whether the part gets on with its work.
    mutating func answered(_ part: String, isWell: Bool) {
        self.states[part] = .answered(isWell)
    }

    /// The parts that do not work, in the order in which they were named.
    func stuck(at now: MonotonicTime) -> [String] {
        self.parts.filter { part in
            switch self.states[part] {
            case .asked(let since): now > since + self.patience
            case .answered(let isWell): !isWell
            case nil: false
            }
        }
    }

    /// Whether each part has answered.
    var isComplete: Bool {
        self.parts.allSatisfy {
            if case .answered = self.states[$0] { true } else { false }
        }
    }
}
