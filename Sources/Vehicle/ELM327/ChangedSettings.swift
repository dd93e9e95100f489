// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The adapter's settings that differ from those after start-up, with the commands that undo them.
struct ChangedSettings: Hashable, Sendable {
    /// The alternative undo commands of each setting, the best first; the newest setting last.
    private var undo: [[String]] = []

    /// The command that undoes the newest setting; nil if no setting is left.
    var nextUndo: String? { self.undo.last?.first }

    /// Adds a setting, unless nothing undoes it, or its undo commands are already due.
    mutating func made(undo: [String]) {
        if !undo.isEmpty, !self.undo.contains(undo) { self.undo.append(undo) }
    }

    /// Removes the newest setting, which is undone.
    mutating func newestUndone() { self.undo.removeLast() }

    /// Replaces the undo command of the newest setting by its alternative, and returns whether there is one.
    mutating func tryAlternative() -> Bool {
        guard let commands = self.undo.last, commands.count > 1 else { return false }
        self.undo[self.undo.count - 1].removeFirst()
        return true
    }

    /// Replaces every undo command that has an alternative by it.
    mutating func tryAlternatives() {
        self.undo = self.undo.map { $0.count > 1 ? Array($0.dropFirst()) : $0 }
    }
}
