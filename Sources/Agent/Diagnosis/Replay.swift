// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ELM327
import OBD2
package import Session

/// Replays a transcript through the machines of this version of the agent.
///
/// The requests come from the transcript. Their commands to the adapter, and the meaning of the replies, are computed
/// anew.
package struct Replay {
    /// A result of a replay, in the order of the transcript.
    package enum Output: Sendable {
        /// An event of the session.
        case session(SessionEvent)
        /// The result of a request that the session does not send by itself, such as that of a command.
        case answer(BusRequest, BusResult)
        /// The session ended with this error.
        case failed(SessionError)
        /// Up to the next request, the dialogue differs from that of this version, which would continue in this way.
        case diverged(String)
        /// A note of the recording agent.
        case note(String)
    }

    private let tape: ReplayTape
    private let handleOutput: (MonotonicTime, Output) -> Void
    private var conversation: AdapterConversation
    private var machine: SessionAgenda?
    /// The bitmaps of the last vehicle, which the recording agent knew too.
    private var known: KnownVehicle?

    private init(_ transcript: Transcript, _ handleOutput: @escaping (MonotonicTime, Output) -> Void) {
        self.tape = ReplayTape(transcript)
        self.handleOutput = handleOutput
        self.conversation = AdapterConversation(self.tape, clock: self.tape)
    }

    /// Replays the whole transcript.
    ///
    /// - Parameters:
    ///   - transcript: the dialogue.
    ///   - handleOutput: called with each result, and with its time in the recording.
    package static func run(_ transcript: Transcript, _ handleOutput: @escaping (MonotonicTime, Output) -> Void) async {
        var replay = Replay(transcript, handleOutput)
        while let entry = replay.tape.nextEntry {
            let position = replay.tape.position
            await replay.play(entry)
            // No input of the conversation consumed the entry: a bare carriage return, for example.
            if replay.tape.position == position { replay.tape.skip() }
        }
    }

    private mutating func play(_ entry: TranscriptEntry) async {
        switch entry.event {
        case .opened(let address):
            self.tape.skip()
            self.reset()
            self.handleOutput(entry.time, .note("open \(address)"))
        case .closed, .lost:
            self.tape.skip()
            self.reset()
        case .note(let text):
            self.tape.skip()
            self.handleOutput(entry.time, .note(text))
        case .starting(let bus, let reset, let requests):
            self.tape.skip()
            await self.start(bus, reset, requests)
        case .asking(let request, let bus):
            self.tape.skip()
            await self.ask(request, bus)
        case .received:
            // The adapter sent this without a request. As in the recording, the next reply becomes doubtful.
            try? await self.conversation.idle(until: entry.time)
        case .performing(let command):
            self.tape.skip()
            await self.perform(command)
        case .sent:
            // The beginning of the request was cut off.
            self.tape.skip()
        }
    }

    private mutating func reset() {
        self.conversation = AdapterConversation(self.tape, clock: self.tape)
        self.known = self.machine?.knowable ?? self.known
        self.machine = nil
    }

    private mutating func start(_ bus: BusProtocol?, _ reset: StartUp.Reset, _ requests: [BusRequest]) async {
        do throws(SessionError) {
            let tape = self.tape
            let report = try await self.conversation.startUp(bus: bus, reset: reset, requests: requests) {
                (phase, _) throws(SessionError) in
                // The recording agent stopped here, because the vehicle was parked with a low battery.
                if case .searching = phase, tape.nextEntry?.event.startsStep == true { throw .parked }
            }
            self.known = self.machine?.knowable ?? self.known
            self.machine = SessionAgenda(report, selection: Selection(intervals: [:]), known: self.known)
            self.handleOutput(self.tape.now, .session(.link(.connected(report))))
        } catch {
            self.fail(error)
        }
    }

    private mutating func ask(_ request: BusRequest, _ bus: BusProtocol) async {
        let time = self.tape.now
        do throws(SessionError) {
            let result = try await self.conversation.ask(request, on: bus)
            guard let question = self.question(request, bus, at: time) else {
                return self.handleOutput(self.tape.now, .answer(request, result))
            }
            switch self.machine?.answered(question, result, at: self.tape.now) {
            case .proceed(let events):
                for event in events { self.handleOutput(self.tape.now, .session(event)) }
            case .startOver(let error, let events):
                for event in events { self.handleOutput(self.tape.now, .session(event)) }
                self.fail(error)
            case nil: break
            }
        } catch {
            self.fail(error)
        }
    }

    private mutating func perform(_ command: AdapterCommand) async {
        do throws(SessionError) {
            _ = try await self.conversation.perform(command)
        } catch {
            self.fail(error)
        }
    }

    /// Returns the session's question that `request` belongs to; nil if the session does not send it by itself.
    private mutating func question(
        _ request: BusRequest,
        _ bus: BusProtocol,
        at time: MonotonicTime
    ) -> SessionAgenda.Question? {
        var report = AdapterReport()
        report.bus = bus
        // A transcript may begin in the middle of a session.
        var machine = self.machine ?? SessionAgenda(report, selection: Selection(intervals: [:]))
        self.machine = machine
        let identity = machine.identity
        func matches(_ question: SessionAgenda.Question) -> Bool {
            identity.busRequest(question)?.payload == request.payload
        }
        if bus.isCAN, request.payload.first == Service.currentData.rawValue, request.payload.count > 2 {
            return .pids(request.payload.dropFirst().map(PID.init(rawValue:)))
        }
        if case .ask(let question) = machine.next(at: time), matches(question) {
            self.machine = machine
            return question
        }
        let errands: [Errand] =
            [machine.isIdentified ? .identityProof(.vin) : .vin, .monitorStatus] + CodeState.allCases.map { .codes($0) }
            + InfoType.allCases.map { .information($0) } + Scaling.pids.map { .maxima($0) }
            + stride(from: 0, through: 0xE0, by: 0x20).map { .supportedPIDs(PID(rawValue: $0)) }
        let items: [PollItem] =
            (0...UInt8.max).map { .pid(PID(rawValue: $0)) } + ParameterGroup.all.map { .group($0.pgn) }
        return (errands.map { .errand($0) } + items.map { .poll($0) }).first(where: matches)
    }

    private mutating func fail(_ error: SessionError) {
        if let divergence = self.tape.takeDivergence() {
            self.handleOutput(self.tape.now, .diverged(divergence))
            while let event = self.tape.nextEntry?.event, !event.startsStep { self.tape.skip() }
        } else {
            self.handleOutput(self.tape.now, .failed(error))
            while case .lost = self.tape.nextEntry?.event { self.tape.skip() }
        }
        self.conversation = AdapterConversation(self.tape, clock: self.tape)
    }
}

extension TranscriptEntry.Event {
    /// Whether the entry begins a new step of the dialogue.
    fileprivate var startsStep: Bool {
        switch self {
        case .opened, .starting, .asking, .performing, .note, .closed, .lost: true
        case .sent, .received: false
        }
    }
}
