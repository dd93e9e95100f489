// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The number of PIDs that an adapter and the ECUs behind it accept in one request.
///
/// A refusal lowers the limit at once, and doubles the number of successes that raise it by one.
struct GroupLimit: Hashable, Sendable {
    /// The largest number of PIDs in one request of SAE J1979.
    static let longest = 6
    /// The number of requests in a row that must be answered before one more PID is tried.
    static let requiredSuccesses = (first: 64, longest: 8192)
    /// The number of failures in a row after which a size counts as refused although it was answered before.
    static let doubtLimit = 3

    /// The largest number of PIDs in the next request.
    private(set) var current = Self.longest
    /// The largest number of PIDs that was answered completely.
    private var proven = 1
    private var successes = 0
    /// The number of successes that raise the limit by one.
    private var wanted = Self.requiredSuccesses.first
    private var doubts = 0

    /// Records that a request for `count` PIDs was answered completely.
    mutating func succeeded(_ count: Int) {
        self.proven = max(self.proven, count)
        self.doubts = 0
        guard count == self.current, self.current < Self.longest else { return }
        self.successes += 1
        guard self.successes >= self.wanted else { return }
        self.current += 1
        self.successes = 0
    }

    /// Records that a request for `count` PIDs was not answered completely.
    ///
    /// - Parameter taken: the number of answered PIDs if only the first ones were answered.
    mutating func refused(_ count: Int, taken: Int? = nil) {
        guard count > 1 else { return }
        self.doubts += 1
        // If as many PIDs were answered before, the cause may be a PID that is not answered together with others.
        guard self.proven < count || self.doubts >= Self.doubtLimit else { return }
        self.doubts = 0
        self.successes = 0
        self.wanted = min(self.wanted * 2, Self.requiredSuccesses.longest)
        let rest = self.proven < count ? max(self.proven, count / 2) : count / 2
        self.current = min(self.current, max(1, min(taken ?? rest, count - 1)))
        self.proven = min(self.proven, self.current)
    }
}
