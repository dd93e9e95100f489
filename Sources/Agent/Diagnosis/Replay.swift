// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
import OBD2
package import Session
package import Base

/// Plays a transcript back through the same machines that understood it when it was recorded.
///
/// What was asked is taken from the transcript; how it was asked, and what the replies mean, is worked out anew.
package struct Replay {
    /// What comes out, in order.
    package enum Output: Sendable {
        /// What a session tells.
        case session(SessionEvent)
        /// A request that no session asks by itself, a command's say, and how it ended.
        case answer(BusRequest, BusResult)
        /// The session ended here.
        case failed(SessionError)
        /// From here to the next request the transcript is not what this version of the agent would have done.
        case diverged(String)
        /// What the recording agent noted.
        case note(String)
    }

    private let tape: ReplayTape
    private let take: (MonotonicTime, Output) -> Void
    private var conversation: AdapterConversation
    private var machine: SessionStateMachine?

    private init(_ transcript: Transcript, _ take: @escaping (MonotonicTime, Output) -> Void) {
        self.tape = ReplayTape(transcript)
        self.take = take
        self.conversation = AdapterConversation(self.tape, clock: self.tape)
    }

    /// Plays all of it.
    package static func run(_ transcript: Transcript, _ take: @escaping (MonotonicTime, Output) -> Void) async {
        var replay = Replay(transcript, take)
        while let entry = replay.tape.next {
            let position = replay.tape.position
            await replay.play(entry)
            // What no adapter is ever sent: a bare carriage return, say.
            if replay.tape.position == position { replay.tape.skip() }
        }
    }

    private mutating func play(_ entry: TranscriptEntry) async {
        switch entry.event {
        case .opened(let address):
            self.tape.skip()
            self.begin()
            self.take(entry.time, .note("open \(address)"))
        case .closed, .lost:
            self.tape.skip()
            self.begin()
        case .note(let text):
            self.tape.skip()
            self.take(entry.time, .note(text))
        case .starting(let bus, let reset):
            self.tape.skip()
            await self.start(bus, reset)
        case .asking(let request, let bus):
            self.tape.skip()
            await self.ask(request, bus)
        case .received:
            // Nobody had asked: it puts the next reply in doubt, as it did then.
            try? await self.conversation.idle(until: entry.time)
        case .performing(let command):
            self.tape.skip()
            await self.perform(command)
        case .sent:
            // The request that it belongs to was cut off.
            self.tape.skip()
        }
    }

    private mutating func begin() {
        self.conversation = AdapterConversation(self.tape, clock: self.tape)
        self.machine = nil
    }

    private mutating func start(_ bus: BusProtocol?, _ reset: StartUp.Reset) async {
        do throws(SessionError) {
            let tape = self.tape
            let report = try await self.conversation.startUp(bus: bus, reset: reset) {
                (phase, _) throws(SessionError) in
                // A parked vehicle with a low battery was not asked.
                if case .searching = phase, tape.next?.event.isMark == true { throw .parked }
            }
            self.machine = SessionStateMachine(report, selection: Selection(intervals: [:]))
            self.take(self.tape.now, .session(.link(.connected(report))))
        } catch {
            self.fail(error)
        }
    }

    private mutating func ask(_ request: BusRequest, _ bus: BusProtocol) async {
        let asked = self.tape.now
        do throws(SessionError) {
            let result = try await self.conversation.ask(request, on: bus)
            guard let question = self.question(request, bus, at: asked) else {
                return self.take(self.tape.now, .answer(request, result))
            }
            switch self.machine?.answered(question, result, at: self.tape.now) {
            case .proceed(let events):
                for event in events { self.take(self.tape.now, .session(event)) }
            case .startOver(let error, let events):
                for event in events { self.take(self.tape.now, .session(event)) }
                self.fail(error)
            case nil: break
            }
        } catch {
            self.fail(error)
        }
    }

    private mutating func perform(_ command: Command) async {
        do throws(SessionError) {
            _ = try await self.conversation.perform(command)
        } catch {
            self.fail(error)
        }
    }

    /// Which of its questions a session asks with `request`; nil for none.
    private mutating func question(
        _ request: BusRequest,
        _ bus: BusProtocol,
        at time: MonotonicTime
    ) -> SessionStateMachine.Question? {
        var report = AdapterReport()
        report.bus = bus
        // A transcript may begin in the middle of a session.
        var machine = self.machine ?? SessionStateMachine(report, selection: Selection(intervals: [:]))
        self.machine = machine
        let identity = machine.identity
        func asks(_ question: SessionStateMachine.Question) -> Bool {
            identity.busRequest(question)?.payload == request.payload
        }
        if bus.isCAN, request.payload.first == Service.currentData.rawValue, request.payload.count > 2 {
            return .pids(request.payload.dropFirst().map(PID.init(rawValue:)))
        }
        if case .ask(let question) = machine.next(at: time), asks(question) {
            self.machine = machine
            return question
        }
        let errands: [Errand] =
            [machine.isIdentified ? .identityProof(.vin) : .vin, .monitorStatus] + CodeState.allCases.map { .codes($0) }
            + InfoType.allCases.map { .information($0) }
            + stride(from: 0, through: 0xE0, by: 0x20).map { .supportedPIDs(PID(rawValue: $0)) }
        let items: [PollItem] =
            (0...UInt8.max).map { .pid(PID(rawValue: $0)) } + ParameterGroup.all.map { .group($0.pgn) }
        return (errands.map { .errand($0) } + items.map { .poll($0) }).first(where: asks)
    }

    private mutating func fail(_ error: SessionError) {
        if let divergence = self.tape.takeDivergence() {
            self.take(self.tape.now, .diverged(divergence))
            while let event = self.tape.next?.event, !event.isMark { self.tape.skip() }
        } else {
            self.take(self.tape.now, .failed(error))
            while case .lost = self.tape.next?.event { self.tape.skip() }
        }
        self.conversation = AdapterConversation(self.tape, clock: self.tape)
    }
}

extension TranscriptEntry.Event {
    /// Whether something begins here.
    fileprivate var isMark: Bool {
        switch self {
        case .opened, .starting, .asking, .performing, .note, .closed, .lost: true
        case .sent, .received: false
        }
    }
}
