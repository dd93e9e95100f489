// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Switches an adapter from one addressing to another, and back to functional (broadcast) requests.
///
/// Settings are undone in reverse order, and every `OK` is checked, before another setting or request is sent.
/// This is a state machine: the driver performs each step, and reports how the command ended.
package struct AddressSwitch: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        /// Send this command.
        case send(AdapterCommand)
        /// The adapter is set up for the request.
        case ready
        /// The adapter refused this command. All settings are undone.
        case refused(String)
        /// A command ended without `OK` and without a refusal. All settings are undone.
        case failed
        /// The adapter's settings are unknown. Start-up must run again before the next request.
        case lost
        /// The adapter restarted: its settings are lost.
        case restarted
        /// The adapter stopped answering.
        case silent
    }

    private enum State: Hashable, Sendable {
        case settled
        /// Sending `line` of alternative `way` of the first pending setting.
        case setting(way: Int, line: Int, isRetry: Bool)
        /// Undoing the newest setting.
        case undoing
    }

    private var state = State.settled
    /// The addressing that the adapter is set to, or is about to be; nil for functional requests.
    private var present: Addressing?
    private var target: Addressing?
    private var pending: [Addressing.Setting] = []
    private var changed = ChangedSettings()
    /// The final step after all settings are undone; nil if the pending settings follow.
    private var end: Step?

    package init() {}

    /// Whether the adapter addresses all ECUs, and no setting is about to change or to be undone.
    package var isAtBase: Bool { self.state == .settled && self.present == nil && self.changed.nextUndo == nil }

    /// Prepares the adapter for a request with this addressing.
    package mutating func turn(to addressing: Addressing?, on bus: BusProtocol) -> Step {
        guard addressing != self.present else { return .ready }
        self.target = addressing
        self.pending = addressing?.settings(on: bus) ?? []
        self.end = nil
        return self.undoNext()
    }

    /// Takes the outcome of the command, and returns the next step.
    package mutating func commandEnded(_ outcome: CommandOutcome) -> Step {
        switch (self.state, outcome.acceptance) {
        case (_, .silent): return .silent
        case (_, .restarted): return .restarted
        case (.setting(let way, let line, let isRetry), let ended): return self.set(way, line, isRetry: isRetry, ended)
        case (.undoing, .accepted):
            self.changed.newestUndone()
            return self.undoNext()
        case (.undoing, .refused(isAlone: true)): return self.changed.tryAlternative() ? self.undoNext() : .lost
        case (.undoing, _), (.settled, _): return .lost
        }
    }

    // MARK: - Setting

    private mutating func setNext() -> Step {
        guard let setting = self.pending.first else {
            self.state = .settled
            self.present = self.target
            return .ready
        }
        return self.send(setting, way: 0, line: 0)
    }

    private mutating func send(_ setting: Addressing.Setting, way: Int, line: Int, isRetry: Bool = false) -> Step {
        self.state = .setting(way: way, line: line, isRetry: isRetry)
        return .send(AdapterCommand(setting.ways[way].lines[line]))
    }

    private mutating func set(_ way: Int, _ line: Int, isRetry: Bool, _ ended: CommandOutcome.Acceptance) -> Step {
        guard let setting = self.pending.first, way < setting.ways.count else { return .lost }
        let isRefused = ended == .refused(isAlone: true)
        // Bytes left over from an earlier command make an adapter answer "?" once.
        if isRefused, !isRetry { return self.send(setting, way: way, line: line, isRetry: true) }
        let lines = setting.ways[way].lines
        guard ended == .accepted else {
            if !isRefused || line > 0 {
                self.changed.made(undo: setting.ways[way].undo)
            } else if way + 1 < setting.ways.count {
                return self.send(setting, way: way + 1, line: 0)
            }
            self.end = isRefused ? .refused(lines[line]) : .failed
            self.pending = []
            self.target = nil
            return self.undoNext()
        }
        if line + 1 < lines.count { return self.send(setting, way: way, line: line + 1) }
        self.changed.made(undo: setting.ways[way].undo)
        self.pending.removeFirst()
        return self.setNext()
    }

    // MARK: - Undoing

    private mutating func undoNext() -> Step {
        self.present = nil
        guard let command = self.changed.nextUndo else {
            guard let end = self.end else { return self.setNext() }
            self.state = .settled
            return end
        }
        self.state = .undoing
        return .send(AdapterCommand(command))
    }
}
