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
        case interrupting(Command)
        /// Whatever still comes is thrown away until there is quiet.
        case draining(outcome: CommandOutcome, chunks: Int)
        /// The adapter was asked for its name: when it says it, everything asked before has been answered.
        case proving(prompts: Int)
        case closed
    }

    /// How long a prompt with nothing before it is doubted at least, and which part of the command's timeout.
    static let doubt = (least: Duration.milliseconds(100), divisor: 4)
    /// How long an adapter may take to prompt after an interrupt.
    static let interruptTimeout = Duration.seconds(1)
    /// What an adapter answers with a text that no request is answered with.
    ///
    /// The link keeps the order, so nothing that was asked before can come after it.
    static let proof = "ATI"
    /// After so many replies with the same end an adapter is known to end every reply so.
    static let habit = 4
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
    /// How long a command may take altogether, so that an adapter that searches for ever does not stop everything.
    ///
    /// A real search through all protocols takes 20 s.
    static let longest = Duration.seconds(45)

    private var state = State.idle
    private var buffer = ReplyBuffer()  // beside the state, not in it: no copy on append
    private var isSearching = false
    /// How many replies in a row ended as the data sheet has it, with an empty line and the prompt.
    private var properEnds = 0
    /// Whether there is quiet to be waited for, and then proof to be asked for.
    private var wantsProof = false

    /// Whether a reply may still be on its way that would be taken for that of the next command.
    ///
    /// ``resynchronise()`` finds out.
    package private(set) var isInDoubt = false

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
        /// Keep waiting; the deadline stands.
        case wait
        /// Keep waiting, this long from now.
        case extend(Duration)
        /// The command is over. The dialogue is ready for the next.
        case deliver(CommandOutcome)
        /// The adapter does not stop talking: close the link.
        case close
    }

    /// What was odd about the last reply.
    package var form: ReplyForm { self.buffer.form }

    /// The link produced bytes, so long after the command was sent.
    package mutating func received(_ bytes: some Sequence<UInt8>, after elapsed: Duration = .zero) -> ReceiveAction {
        var rest = ArraySlice(bytes)
        switch self.state {
        case .idle:
            self.isInDoubt = self.isInDoubt || rest.contains { $0 > UInt8(ascii: " ") }
            return .wait
        case .closed:
            return .wait
        case .awaitingReply(let command):
            return self.receivedReply(&rest, to: command, after: elapsed)
        case .doubtingPrompt(let command):
            let action = self.receivedReply(&rest, to: command, after: elapsed)
            guard case .awaitingReply = self.state, action == .wait else { return action }
            return .extend(command.timeout)
        case .interrupting(let command):
            switch self.buffer.take(&rest) {
            case .incomplete: return .wait
            case .reply(let lines) where command.collects:
                // That it was stopped is our own doing.
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
            // It may take longer than the interrupt's timeout to prompt, on a bus that takes long to wake up.
            let isLatePrompt = outcome == .silence(prompted: false) && rest.contains(UInt8(ascii: ">"))
            return self.drain(then: isLatePrompt ? .silence(prompted: true) : outcome, chunks: chunks + 1)
        case .proving(let prompts):
            return self.receivedProof(&rest, prompts)
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
        case .awaitingReply(let command):
            self.state = .interrupting(command)
            if !command.collects { self.buffer.removeAll() }
            return .send([UInt8(ascii: " ")], timeout: Self.interruptTimeout)
        case .doubtingPrompt:
            self.state = .idle
            self.isInDoubt = true
            return .deliver(.reply([]))
        case .interrupting:
            self.state = .draining(outcome: .silence(prompted: false), chunks: 0)
            return .wait(Self.quiet)
        case .draining(let outcome, _):
            self.buffer.removeAll()
            guard self.wantsProof else {
                self.state = .idle
                if case .reply = outcome {} else { self.isInDoubt = true }
                return .deliver(outcome)
            }
            self.wantsProof = false
            self.state = .proving(prompts: 0)
            return .send(Array((Self.proof + "\r").utf8), timeout: AdapterCommand.timeout)
        case .proving(let prompts):
            // One that prompts and does not say its name is alive, and more can't be had of it.
            self.state = .idle
            self.isInDoubt = prompts == 0
            return .deliver(prompts == 0 ? .silence(prompted: false) : .reply([]))
        }
    }

    package enum ResynchroniseAction: Hashable, Sendable {
        /// Read until nothing has come for so long.
        case wait(Duration)
        /// A command is under way, or the dialogue is closed.
        case reject
    }

    /// The last reply was not that of the last command: throw away what is still on its way, until the adapter has
    /// proved that nothing is.
    ///
    /// Ends as a command does: with `.reply`, or `.silence` of an adapter that does not answer any more.
    package mutating func resynchronise() -> ResynchroniseAction {
        guard self.state == .idle else { return .reject }
        self.wantsProof = true
        self.state = .draining(outcome: .reply([]), chunks: 0)
        return .wait(Self.quiet)
    }

    private mutating func receivedProof(_ rest: inout ArraySlice<UInt8>, _ before: Int) -> ReceiveAction {
        var prompts = before
        while true {
            switch self.buffer.take(&rest) {
            case .incomplete:
                self.state = .proving(prompts: prompts)
                return .wait
            case .reply(let lines) where Self.isProof(lines):
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

    /// Whether a reply can only be a name: a late one of a request holds data or a notice.
    private static func isProof(_ lines: [String]) -> Bool {
        lines.contains { compact($0) != Self.proof && [.other, .notice(.restarted)].contains(ReplyLine($0)) }
    }

    private mutating func drain(then outcome: CommandOutcome, chunks: Int) -> ReceiveAction {
        self.state = .draining(outcome: outcome, chunks: chunks)
        return .extend(Self.quiet)
    }

    private mutating func receivedReply(
        _ rest: inout ArraySlice<UInt8>,
        to command: Command,
        after elapsed: Duration
    ) -> ReceiveAction {
        while true {
            switch self.buffer.take(&rest) {
            case .incomplete:
                self.state = self.buffer.isBlank ? self.state : .awaitingReply(command)
                return self.asksForTime(command, after: elapsed) ?? .wait
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
                guard elapsed < Self.longest else {
                    self.state = .idle
                    return .deliver(.reply([]))
                }
                self.state = .doubtingPrompt(command)
                guard rest.isEmpty else { continue }
                return .extend(max(Self.doubt.least, command.timeout / Self.doubt.divisor))
            }
        }
    }

    /// Whether the prompt came in the middle of a reply, by all that this adapter does otherwise: it was noise.
    private mutating func endedEarly() -> Bool {
        guard !self.buffer.endedProperly else {
            self.properEnds = min(self.properEnds + 1, Self.habit)
            return false
        }
        return self.properEnds == Self.habit
    }

    /// A search that goes on and an ECU that asks for patience move the deadline.
    private mutating func asksForTime(_ command: Command, after elapsed: Duration) -> ReceiveAction? {
        guard self.buffer.mayAskForTime else { return nil }
        let text = self.buffer.unreadTail
        let isPending = command.service.map { text.contains(text: "7F\(hexadecimal($0))78") } ?? false
        let isProgress =
            text.contains(text: "SEARCHING") || text.contains(text: "BUSINIT")
            || self.isSearching && text.contains(UInt8(ascii: "."))
        guard isPending || isProgress else { return nil }
        self.isSearching = self.isSearching || isProgress
        self.buffer.markRead()
        let wish = max(isPending ? Self.pendingTimeout : Self.searchTimeout, command.timeout)
        return elapsed < Self.longest ? .extend(min(wish, Self.longest - elapsed)) : nil
    }

    private mutating func withoutEcho(_ lines: [String], of command: Command) -> [String] {
        guard let first = lines.first, compact(first) == compact(command.line) else { return lines }
        self.buffer.form.insert(.echo)
        return Array(lines.dropFirst())
    }
}
