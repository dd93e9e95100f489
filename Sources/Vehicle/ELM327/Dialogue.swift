// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The line discipline of an ELM327: sends one command, reads its reply, and resynchronizes after a fault.
///
/// The machine owns no clock, no link and no task. Its driver performs each action and reports the next event; a test
/// does the same with an array. The next command waits for the prompt. A bare carriage return repeats the last command,
/// so it is never sent, not even to wake an adapter that stopped answering.
package struct Dialogue: Sendable {
    private enum State: Hashable, Sendable {
        case idle
        case awaitingReply(AdapterCommand)
        /// A prompt arrived with nothing before it: most likely that of an earlier command. The reply may follow.
        case awaitingLateReply(AdapterCommand)
        /// No reply in time. One space was sent: it stops a working adapter, and an idle adapter ignores it.
        case interrupting(AdapterCommand)
        /// Dropping the bytes that still arrive, until the link is quiet.
        case draining(outcome: CommandOutcome, chunks: Int)
        /// The adapter was asked for its name. The name arrives after the replies to all earlier commands.
        case awaitingIdentity(prompts: Int)
        case closed
    }

    /// The wait for a reply after an empty prompt: a fraction of the command's timeout, and at least the minimum.
    static let lateReplyWait = (minimum: Duration.milliseconds(100), divisor: 4)
    /// The timeout for the prompt after an interrupt.
    static let interruptTimeout = Duration.seconds(1)
    /// The number of consecutive proper ends after which an adapter is expected to end every reply so.
    static let properEndThreshold = 4
    /// The time without bytes that ends draining.
    static let quietTime = Duration.milliseconds(200)
    /// The maximum number of pieces of noise that are drained before the link is closed.
    ///
    /// A serial line may deliver single bytes.
    static let noiseLimit = 1000
    /// The longest silence between two progress signs of a protocol search.
    ///
    /// Each K-line protocol takes 2.5 s and more.
    static let searchTimeout = Duration.seconds(20)
    /// The timeout for an ECU's answer after "response pending" (ISO 14229-2, P2*).
    static let pendingTimeout = Duration.seconds(6)
    /// The longest duration of a command, with all its extensions.
    ///
    /// An endless search would block the adapter. A real search through all protocols takes 20 s.
    static let commandLimit = Duration.seconds(45)

    private var state = State.idle
    private var buffer = ReplyBuffer()  // beside the state, not in it: no copy on append
    private var isSearching = false
    /// The number of consecutive replies that ended as in the data sheet: with an empty line and the prompt.
    private var properEnds = 0
    /// Whether the adapter is asked for its name once draining ends.
    private var needsIdentity = false

    /// Whether a late reply may still arrive that would be taken for the reply to the next command.
    ///
    /// ``resynchronize()`` clears it.
    package private(set) var isInDoubt = false

    package init() {}

    package enum SubmitAction: Hashable, Sendable {
        /// Send these bytes, and report when the deadline passes without another action.
        case send([UInt8], timeout: Duration)
        /// Another command is in progress, the dialogue is closed, or the command is not valid: its line is blank, or
        /// contains a carriage return.
        case reject
    }

    /// Begins a command.
    package mutating func submit(_ command: AdapterCommand) -> SubmitAction {
        let line = command.line.utf8
        guard self.state == .idle, line.contains(where: { $0 > UInt8(ascii: " ") }), !line.contains(0x0D) else {
            return .reject
        }
        self.buffer.removeAll()
        self.buffer.form = []
        self.isSearching = false
        self.state = .awaitingReply(command)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(line.count + 1)
        bytes += line
        bytes.append(UInt8(ascii: "\r"))
        return .send(bytes, timeout: command.timeout)
    }

    package enum ReceiveAction: Hashable, Sendable {
        /// Keep waiting, with the same deadline.
        case wait
        /// Keep waiting, until this long from now.
        case extend(Duration)
        /// The command is over. The dialogue is ready for the next.
        case deliver(CommandOutcome)
        /// The adapter does not stop sending: close the link.
        case close
    }

    /// The oddities of the last reply.
    package var form: ReplyForm { self.buffer.form }

    /// Takes bytes from the link, with the time since the command was sent.
    package mutating func bytesReceived(
        _ bytes: some Sequence<UInt8>,
        after elapsed: Duration = .zero
    ) -> ReceiveAction {
        var rest = ArraySlice(bytes)
        switch self.state {
        case .idle:
            self.isInDoubt = self.isInDoubt || rest.contains { $0 > UInt8(ascii: " ") }
            return .wait
        case .closed:
            return .wait
        case .awaitingReply(let command):
            return self.receivedReply(&rest, to: command, after: elapsed)
        case .awaitingLateReply(let command):
            let action = self.receivedReply(&rest, to: command, after: elapsed)
            guard case .awaitingReply = self.state, action == .wait else { return action }
            return .extend(command.timeout)
        case .interrupting(let command):
            switch self.buffer.take(&rest) {
            case .incomplete: return .wait
            case .reply(let lines) where command.collectsUntilTimeout:
                // The agent itself stopped the adapter, so STOPPED is not part of the reply.
                let own = self.withoutEcho(lines, of: command)
                let reply = own.last.map { ReplyLine($0) } == .notice(.stopped) ? own.dropLast() : own
                return self.drain(then: .reply(reply), chunks: 0)
            case .reply, .overflow: return self.drain(then: .silence(prompted: true), chunks: 0)
            }
        case .draining(let outcome, let chunks):
            guard chunks < Self.noiseLimit else {
                self.state = .closed
                return .close
            }
            // The prompt may take longer than the interrupt's timeout, on a bus that wakes up slowly.
            let isLatePrompt = outcome == .silence(prompted: false) && rest.contains(UInt8(ascii: ">"))
            return self.drain(then: isLatePrompt ? .silence(prompted: true) : outcome, chunks: chunks + 1)
        case .awaitingIdentity(let prompts):
            return self.receivedIdentity(&rest, prompts)
        }
    }

    package enum TimeoutAction: Hashable, Sendable {
        /// No command is in progress.
        case none
        /// Send these bytes, and wait for `timeout`.
        case send([UInt8], timeout: Duration)
        /// Send nothing, and wait for this long.
        case wait(Duration)
        /// The command is over. The dialogue is ready for the next.
        case deliver(CommandOutcome)
    }

    /// Takes the end of the wait that the last action began.
    package mutating func deadlinePassed() -> TimeoutAction {
        switch self.state {
        case .idle, .closed:
            return .none
        case .awaitingReply(let command):
            self.state = .interrupting(command)
            if !command.collectsUntilTimeout { self.buffer.removeAll() }
            return .send([UInt8(ascii: " ")], timeout: Self.interruptTimeout)
        case .awaitingLateReply:
            self.state = .idle
            self.isInDoubt = true
            return .deliver(.reply([]))
        case .interrupting:
            self.state = .draining(outcome: .silence(prompted: false), chunks: 0)
            return .wait(Self.quietTime)
        case .draining(let outcome, _):
            self.buffer.removeAll()
            guard self.needsIdentity else {
                self.state = .idle
                if case .reply = outcome {} else { self.isInDoubt = true }
                return .deliver(outcome)
            }
            self.needsIdentity = false
            self.state = .awaitingIdentity(prompts: 0)
            return .send(Array((AdapterCommand.name.line + "\r").utf8), timeout: AdapterCommand.timeout)
        case .awaitingIdentity(let prompts):
            // An adapter that prompts without its name is alive. It offers no better proof.
            self.state = .idle
            self.isInDoubt = prompts == 0
            return .deliver(prompts == 0 ? .silence(prompted: false) : .reply([]))
        }
    }

    package enum ResynchronizeAction: Hashable, Sendable {
        /// Read until no byte has arrived for this long.
        case wait(Duration)
        /// A command is in progress, or the dialogue is closed.
        case reject
    }

    /// Drops late replies until the adapter's name proves that none is left.
    ///
    /// Called when the last reply did not belong to the last command. It ends like a command: with `.reply`, or with
    /// `.silence` if the adapter stopped answering.
    package mutating func resynchronize() -> ResynchronizeAction {
        guard self.state == .idle else { return .reject }
        self.needsIdentity = true
        self.state = .draining(outcome: .reply([]), chunks: 0)
        return .wait(Self.quietTime)
    }

    private mutating func receivedIdentity(_ rest: inout ArraySlice<UInt8>, _ before: Int) -> ReceiveAction {
        var prompts = before
        while true {
            switch self.buffer.take(&rest) {
            case .incomplete:
                self.state = .awaitingIdentity(prompts: prompts)
                return .wait
            case .reply(let lines) where Self.isIdentity(lines):
                self.state = .idle
                self.isInDoubt = rest.contains { $0 > UInt8(ascii: " ") }
                return .deliver(.reply([]))
            case .reply, .overflow:
                prompts += 1
                guard prompts < Self.noiseLimit else {
                    self.state = .closed
                    return .close
                }
            }
        }
    }

    /// Whether a reply can only be the adapter's name.
    ///
    /// A late reply to a request holds data or a notice.
    private static func isIdentity(_ lines: [String]) -> Bool {
        lines.contains { line in
            compact(line) != AdapterCommand.name.line && [.other, .notice(.restarted)].contains(ReplyLine(line))
        }
    }

    private mutating func drain(then outcome: CommandOutcome, chunks: Int) -> ReceiveAction {
        self.state = .draining(outcome: outcome, chunks: chunks)
        return .extend(Self.quietTime)
    }

    private mutating func receivedReply(
        _ rest: inout ArraySlice<UInt8>,
        to command: AdapterCommand,
        after elapsed: Duration
    ) -> ReceiveAction {
        while true {
            switch self.buffer.take(&rest) {
            case .incomplete:
                self.state = self.buffer.isBlank ? self.state : .awaitingReply(command)
                return self.timeExtension(for: command, after: elapsed) ?? .wait
            case .overflow:
                self.state = .idle
                self.isInDoubt = true
                return .deliver(.overflow)
            case .reply(let lines):
                let answer = self.withoutEcho(lines, of: command)
                guard answer.isEmpty else {
                    self.state = .idle
                    self.isInDoubt = rest.contains { $0 > UInt8(ascii: " ") } || self.endedEarly()
                    return .deliver(.reply(answer))
                }
                if lines.isEmpty { self.buffer.form.insert(.earlyPrompt) }
                guard elapsed < Self.commandLimit else {
                    self.state = .idle
                    return .deliver(.reply([]))
                }
                self.state = .awaitingLateReply(command)
                guard rest.isEmpty else { continue }
                return .extend(max(Self.lateReplyWait.minimum, command.timeout / Self.lateReplyWait.divisor))
            }
        }
    }

    /// Whether the prompt was noise in the middle of a reply, because this adapter always ends its replies properly.
    private mutating func endedEarly() -> Bool {
        guard !self.buffer.endedProperly else {
            self.properEnds = min(self.properEnds + 1, Self.properEndThreshold)
            return false
        }
        return self.properEnds == Self.properEndThreshold
    }

    /// Returns the extension for a search in progress or an ECU's "response pending"; nil if neither arrived.
    private mutating func timeExtension(for command: AdapterCommand, after elapsed: Duration) -> ReceiveAction? {
        guard self.buffer.mayHoldExtension else { return nil }
        let text = self.buffer.unreadTail
        let isPending = command.service.map { text.contains(text: "7F\(hexadecimal($0))78") } ?? false
        let isProgress =
            text.contains(text: "SEARCHING") || text.contains(text: "BUSINIT")
            || self.isSearching && text.contains(UInt8(ascii: "."))
        guard isPending || isProgress else { return nil }
        self.isSearching = self.isSearching || isProgress
        self.buffer.markRead()
        let timeout = max(isPending ? Self.pendingTimeout : Self.searchTimeout, command.timeout)
        return elapsed < Self.commandLimit ? .extend(min(timeout, Self.commandLimit - elapsed)) : nil
    }

    private mutating func withoutEcho(_ lines: [String], of command: AdapterCommand) -> [String] {
        guard let first = lines.first, compact(first) == compact(command.line) else { return lines }
        self.buffer.form.insert(.echo)
        return Array(lines.dropFirst())
    }
}
