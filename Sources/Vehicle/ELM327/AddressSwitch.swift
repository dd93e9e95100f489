// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Switches an adapter from one addressing to another, and back to functional (broadcast) requests.
///
/// Settings are undone in reverse order, and every `OK` is checked, before another setting or request is sent.
/// This is a state machine: the driver performs each step, and reports how the command ended.
package struct AddressSwitch: Sendable {
    package enum Step: Hashable, Sendable {
        /// Send this command.
        case send(Command)
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
        /// Undoing the newest setting with its undo command number `way`.
        case undoing(way: Int)
    }

    private var state = State.settled
    /// The addressing that the adapter is set to, or is about to be; nil for functional requests.
    private var present: Addressing?
    private var target: Addressing?
    private var pending: [Addressing.Setting] = []
    /// The undo commands of each setting that was made, the newest setting last.
    private var undo: [[String]] = []
    /// The final step after all settings are undone; nil if the pending settings follow.
    private var end: Step?

    package init() {}

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
        if outcome == .silence(prompted: false) { return .silent }
        var isOK = false
        var isRefused = false
        if case .reply(let lines) = outcome {
            let read = lines.map { ReplyLine($0) }
            if read.contains(.notice(.restarted)) { return .restarted }
            isOK = read.last == .ok
            isRefused = read == [.notice(.notUnderstood)]
        }
        switch self.state {
        case .settled: return .lost
        case .setting(let way, let line, let isRetry):
            // Bytes left over from an earlier command make an adapter answer "?" once.
            if isRefused, !isRetry, let setting = self.pending.first {
                return self.send(setting, way: way, line: line, isRetry: true)
            }
            return self.set(way, line, isOK: isOK, isRefused: isRefused)
        case .undoing(let way): return self.undone(way, isOK: isOK, isRefused: isRefused)
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

    private mutating func send(
        _ setting: Addressing.Setting,
        way: Int,
        line: Int,
        isRetry: Bool = false
    ) -> Step {
        self.state = .setting(way: way, line: line, isRetry: isRetry)
        return .send(Command(setting.ways[way].lines[line], timeout: AdapterCommand.timeout))
    }

    private mutating func set(_ way: Int, _ line: Int, isOK: Bool, isRefused: Bool) -> Step {
        guard let setting = self.pending.first, way < setting.ways.count else { return .lost }
        let lines = setting.ways[way].lines
        guard isOK else {
            // A command that ended with neither OK nor a refusal may still have taken effect.
            let mayHaveEffect = !isRefused || line > 0
            if mayHaveEffect { self.pushUndo(of: setting.ways[way]) }
            if isRefused, !mayHaveEffect, way + 1 < setting.ways.count {
                return self.send(setting, way: way + 1, line: 0)
            }
            self.end = isRefused ? .refused(lines[line]) : .failed
            self.pending = []
            self.target = nil
            return self.undoNext()
        }
        if line + 1 < lines.count { return self.send(setting, way: way, line: line + 1) }
        self.pushUndo(of: setting.ways[way])
        self.pending.removeFirst()
        return self.setNext()
    }

    private mutating func pushUndo(of way: Addressing.Setting.Way) {
        if !way.undo.isEmpty { self.undo.append(way.undo) }
    }

    // MARK: - Undoing

    private mutating func undoNext() -> Step {
        self.present = nil
        guard let ways = self.undo.last else {
            guard let end = self.end else { return self.setNext() }
            self.state = .settled
            return end
        }
        self.state = .undoing(way: 0)
        return .send(Command(ways[0], timeout: AdapterCommand.timeout))
    }

    private mutating func undone(_ way: Int, isOK: Bool, isRefused: Bool) -> Step {
        guard let ways = self.undo.last else { return .lost }
        if isOK {
            self.undo.removeLast()
            return self.undoNext()
        }
        guard isRefused, way + 1 < ways.count else { return .lost }
        self.state = .undoing(way: way + 1)
        return .send(Command(ways[way + 1], timeout: AdapterCommand.timeout))
    }
}
