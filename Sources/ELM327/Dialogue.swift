// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The line discipline of an ELM327: one command out, its reply in, and back in step after whatever goes wrong.
///
/// The machine owns no clock, no link and no task. Its driver performs each action and reports the next event; a test
/// does the same with an array. A command is never followed by another before the prompt, and a bare carriage return,
/// which repeats the last command, is never sent: not even to wake an adapter that has gone quiet.
package struct Dialogue: Sendable {
    private enum State: Hashable, Sendable {
        case idle
        case awaitingReply(Command)
        /// A prompt came with nothing before it: most likely that of an earlier command. The reply may follow.
        case doubtingPrompt(Command)
        /// No reply in time. One space was sent: it stops a working adapter, and an idle one ignores it.
        case interrupting
        /// Whatever still comes is thrown away until there is quiet.
        case draining(outcome: CommandOutcome, chunks: Int)
        case closed
    }

    /// How long a prompt with nothing before it is doubted at least, and which part of the command's timeout.
    static let doubt = (least: Duration.milliseconds(100), divisor: 4)
    /// How long an adapter may take to prompt after an interrupt.
    static let interruptTimeout = Duration.seconds(1)
    /// How long there must be quiet before the next command.
    static let quiet = Duration.milliseconds(200)
    /// How many pieces of noise are drained before the link is given up.
    ///
    /// A serial line may deliver single bytes.
    static let noiseLimit = 1000
    /// How long a protocol search may be silent between two signs of life.
    ///
    /// Each K-line protocol takes 2.5 s and more.
    static let searchTimeout = Duration.seconds(20)
    /// How long an ECU may take after "response pending" (ISO 14229-2, P2*).
    static let pendingTimeout = Duration.seconds(6)
    /// How often a command gets more time, so that an adapter that searches for ever does not stop everything.
    static let extensionLimit = 64

    private var state = State.idle
    private var buffer = ReplyBuffer()  // beside the state, not in it: no copy on append
    private var extensions = 0
    private var isSearching = false

    package init() {}

    package enum SubmitAction: Hashable, Sendable {
        /// Send this, and report a timeout if nothing changes that.
        case send([UInt8], timeout: Duration)
        /// Another command is under way, the dialogue is closed, or the command is none: its line is blank, or has a
        /// carriage return in it.
        case reject
    }

    /// The driver wants to send a command.
    package mutating func submit(_ command: Command) -> SubmitAction {
        let line = command.line.utf8
        guard self.state == .idle, line.contains(where: { $0 > UInt8(ascii: " ") }), !line.contains(0x0D) else {
            return .reject
        }
        self.buffer.removeAll()
        self.extensions = 0
        self.isSearching = false
        self.state = .awaitingReply(command)
        return .send(Array(line) + [UInt8(ascii: "\r")], timeout: command.timeout)
    }

    package enum ReceiveAction: Hashable, Sendable {
        /// Keep waiting; the deadline stands.
        case wait
        /// Keep waiting, this long from now.
        case extend(Duration)
        /// The command is over. The dialogue is ready for the next.
        case deliver(CommandOutcome)
        /// The adapter does not stop talking: close the link.
        case close
    }

    /// The link produced bytes.
    package mutating func received(_ bytes: some Sequence<UInt8>) -> ReceiveAction {
        var rest = ArraySlice(bytes)
        switch self.state {
        case .idle, .closed:
            return .wait
        case .awaitingReply(let command):
            return self.receivedReply(&rest, to: command)
        case .doubtingPrompt(let command):
            let action = self.receivedReply(&rest, to: command)
            guard case .awaitingReply = self.state, action == .wait else { return action }
            return .extend(command.timeout)
        case .interrupting:
            guard case .incomplete = self.buffer.take(&rest) else {
                return self.drain(then: .silence(prompted: true), chunks: 0)
            }
            return .wait
        case .draining(let outcome, let chunks):
            guard chunks < Self.noiseLimit else {
                self.state = .closed
                return .close
            }
            // It may take longer than the interrupt's timeout to prompt, on a bus that takes long to wake up.
            let isLatePrompt = outcome == .silence(prompted: false) && rest.contains(UInt8(ascii: ">"))
            return self.drain(then: isLatePrompt ? .silence(prompted: true) : outcome, chunks: chunks + 1)
        }
    }

    package enum TimeoutAction: Hashable, Sendable {
        /// Nothing was awaited.
        case none
        /// Send this and wait for so long.
        case send([UInt8], timeout: Duration)
        /// Nothing to send; wait for so long.
        case wait(Duration)
        /// The command is over. The dialogue is ready for the next.
        case deliver(CommandOutcome)
    }

    /// The deadline passed.
    package mutating func timedOut() -> TimeoutAction {
        switch self.state {
        case .idle, .closed:
            return .none
        case .awaitingReply:
            self.state = .interrupting
            self.buffer.removeAll()
            return .send([UInt8(ascii: " ")], timeout: Self.interruptTimeout)
        case .doubtingPrompt:
            self.state = .idle
            return .deliver(.reply([]))
        case .interrupting:
            self.state = .draining(outcome: .silence(prompted: false), chunks: 0)
            return .wait(Self.quiet)
        case .draining(let outcome, _):
            self.state = .idle
            self.buffer.removeAll()
            return .deliver(outcome)
        }
    }

    package enum ResynchroniseAction: Hashable, Sendable {
        /// Read until nothing has come for so long.
        case wait(Duration)
        /// A command is under way, or the dialogue is closed.
        case reject
    }

    /// The last reply was not that of the last command: throw away what is still on its way.
    package mutating func resynchronise() -> ResynchroniseAction {
        guard self.state == .idle else { return .reject }
        self.state = .draining(outcome: .reply([]), chunks: 0)
        return .wait(Self.quiet)
    }

    private mutating func drain(then outcome: CommandOutcome, chunks: Int) -> ReceiveAction {
        self.state = .draining(outcome: outcome, chunks: chunks)
        return .extend(Self.quiet)
    }

    private mutating func receivedReply(_ rest: inout ArraySlice<UInt8>, to command: Command) -> ReceiveAction {
        while true {
            switch self.buffer.take(&rest) {
            case .incomplete:
                self.state = self.buffer.isBlank ? self.state : .awaitingReply(command)
                return self.asksForTime(command) ?? .wait
            case .overflow:
                self.state = .idle
                return .deliver(.overflow)
            case .reply(let lines):
                let answer = Self.withoutEcho(lines, of: command)
                guard answer.isEmpty else {
                    self.state = .idle
                    return .deliver(.reply(answer))
                }
                self.state = .doubtingPrompt(command)
                guard rest.isEmpty else { continue }
                return .extend(max(Self.doubt.least, command.timeout / Self.doubt.divisor))
            }
        }
    }

    /// A search that goes on and an ECU that asks for patience move the deadline.
    private mutating func asksForTime(_ command: Command) -> ReceiveAction? {
        let text = self.buffer.unreadTail
        let isPending = command.service.map { text.contains("7F\(hexadecimal($0))78") } ?? false
        let isProgress =
            text.contains("SEARCHING") || text.contains("BUSINIT") || self.isSearching && text.contains(".")
        guard isPending || isProgress else { return nil }
        self.isSearching = self.isSearching || isProgress
        self.buffer.markRead()
        guard self.extensions < Self.extensionLimit else { return nil }
        self.extensions += 1
        return .extend(max(isPending ? Self.pendingTimeout : Self.searchTimeout, command.timeout))
    }

    private static func withoutEcho(_ lines: [String], of command: Command) -> [String] {
        guard let first = lines.first, compact(first) == compact(command.line) else { return lines }
        return Array(lines.dropFirst())
    }
}
