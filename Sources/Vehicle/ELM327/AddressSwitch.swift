// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Turns an adapter from one addressing to another, and back to asking everybody.
///
/// What was set is undone in reverse order, and each `OK` is seen, before anything else is set or asked. A machine of
/// steps: the driver performs each, and reports how the command ended.
package struct AddressSwitch: Sendable {
    package enum Step: Hashable, Sendable {
        /// Send this command.
        case send(Command)
        /// The adapter is as the request needs it.
        case ready
        /// The adapter does not take this command; it is as it was before everything.
        case refused(String)
        /// Something came in between; the adapter is as it was before everything.
        case failed
        /// The adapter is in a state that nobody knows: it has to be brought up anew before anything is asked.
        case lost
        /// The adapter started anew: its settings are lost.
        case restarted
        /// The adapter says nothing any more.
        case silent
    }

    private enum State: Hashable, Sendable {
        case settled
        /// At this line of this way of the first that is still to be set.
        case setting(way: Int, line: Int, isRetry: Bool)
        /// Undoing the last that was set in this of its ways; why is told when that is done.
        case undoing(way: Int)
    }

    private var state = State.settled
    /// What the adapter is set to, or will be; nil asks everybody.
    private var present: Addressing?
    private var target: Addressing?
    private var pending: [Addressing.Setting] = []
    /// How to undo what was set, the last at the end.
    private var undo: [[String]] = []
    /// How the turn ends when all is undone; nil where it goes on.
    private var end: Step?

    package init() {}

    /// A request with this addressing comes next.
    package mutating func turn(to addressing: Addressing?, on bus: BusProtocol) -> Step {
        guard addressing != self.present else { return .ready }
        self.target = addressing
        self.pending = addressing?.settings(on: bus) ?? []
        self.end = nil
        return self.undoNext()
    }

    /// The command ended with `outcome`.
    package mutating func performed(_ outcome: CommandOutcome) -> Step {
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
            // Bytes that were left over from before make an adapter answer "?" once.
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
            // Where there was neither OK nor refusal it may have had its effect all the same.
            let mayHaveEffect = !isRefused || line > 0
            if mayHaveEffect { self.remember(setting.ways[way]) }
            if isRefused, !mayHaveEffect, way + 1 < setting.ways.count {
                return self.send(setting, way: way + 1, line: 0)
            }
            self.end = isRefused ? .refused(lines[line]) : .failed
            self.pending = []
            self.target = nil
            return self.undoNext()
        }
        if line + 1 < lines.count { return self.send(setting, way: way, line: line + 1) }
        self.remember(setting.ways[way])
        self.pending.removeFirst()
        return self.setNext()
    }

    private mutating func remember(_ way: Addressing.Setting.Way) {
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
