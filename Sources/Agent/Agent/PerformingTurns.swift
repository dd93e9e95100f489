// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The order in which an actor performs the actions of its inputs.
///
/// While an actor awaits one action, its next input may come. Without turns the actions of that input would overtake
/// the rest, and the older state would be published and stored last.
struct PerformingTurns {
    private var isTaken = false
    /// The inputs whose actions wait; as few as the actor has callers.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Takes the turn if it is free.
    mutating func take() -> Bool {
        guard !self.isTaken else { return false }
        self.isTaken = true
        return true
    }

    /// Waits for the turn, behind those that wait already.
    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) { self.waiting.append(continuation) }

    /// Passes the turn on.
    mutating func pass() {
        if self.waiting.isEmpty { self.isTaken = false } else { self.waiting.removeFirst().resume() }
    }
}
