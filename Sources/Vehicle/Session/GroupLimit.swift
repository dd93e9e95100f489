// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// How many PIDs an adapter and the ECUs behind it take in one request.
///
/// A refusal lowers the limit at once; many successes raise it by one, after each refusal twice as many.
struct GroupLimit: Hashable, Sendable {
    /// SAE J1979 has room for six.
    static let longest = 6
    /// How many requests in a row must be answered before one more PID is tried.
    static let patience = (first: 64, longest: 8192)
    /// How many groups in a row may fail of a size that was answered before, until it counts as refused.
    static let doubtLimit = 3

    /// How many there may be in the next request.
    private(set) var current = Self.longest
    /// The largest number that was answered whole.
    private var proven = 1
    private var successes = 0
    private var wanted = Self.patience.first
    private var doubts = 0

    /// A request for so many was answered whole.
    mutating func succeeded(_ count: Int) {
        self.proven = max(self.proven, count)
        self.doubts = 0
        guard count == self.current, self.current < Self.longest else { return }
        self.successes += 1
        guard self.successes >= self.wanted else { return }
        self.current += 1
        self.successes = 0
    }

    /// A request for so many was not answered as it should; `taken` is how many were, where it was only the first.
    mutating func refused(_ count: Int, taken: Int? = nil) {
        guard count > 1 else { return }
        self.doubts += 1
        // Where so many were answered before, it may be one of them that does not go with others.
        guard self.proven < count || self.doubts >= Self.doubtLimit else { return }
        self.doubts = 0
        self.successes = 0
        self.wanted = min(self.wanted * 2, Self.patience.longest)
        let rest = self.proven < count ? max(self.proven, count / 2) : count / 2
        self.current = min(self.current, max(1, min(taken ?? rest, count - 1)))
        self.proven = min(self.proven, self.current)
    }
}
