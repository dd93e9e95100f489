// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Session
import Simulator
import TestSupport

/// A client that asks a simulated vehicle over a ``ChaoticLink``, and holds every value that it is told against what
/// the ECUs have really put on the bus since it asked.
package struct PropertyRun {
    /// A value that no ECU has sent as an answer to its request.
    package struct Violation: Sendable, CustomStringConvertible {
        let seed: UInt64
        let reply: Int
        let request: String
        let ecu: ECUAddress
        /// What was made of it.
        let answer: String
        let said: [String]

        package var description: String {
            """
            seed \(self.seed), reply \(self.reply): \(self.request) of \(self.ecu) gave \(self.answer), but the ECU \
            has sent none of that since; the dialogue: \(self.said)
            """
        }
    }

    /// What a run has shown.
    package struct Outcome: Sendable, CustomStringConvertible {
        /// How many replies the adapter printed.
        package var replies = 0
        /// How many answers of an ECU were taken for true.
        package var accepted = 0
        /// How many of them were parts of answers to several PIDs, and to requests with a count of frames.
        package var grouped = 0
        package var counted = 0
        /// How often the adapter had to be brought up anew.
        package var restarts = 0
        package var violations: [Violation] = []

        package var description: String {
            """
            \(self.replies) replies, \(self.accepted) answers taken, \(self.grouped) out of groups, \(self.counted) of \
            counted frames, \(self.restarts) times started, \
            \(self.violations.isEmpty ? "nothing wrong" : "wrong: \(self.violations)")
            """
        }
    }

    /// How many replies of a hundred are spoiled, in the runs that the tests do.
    package static let chaos = [5, 40]

    private static let requests: [Request] = [
        .currentData(0x0C), .currentData(0x0C), .currentData(0x0C), .currentData(0x0D), .currentData(0x05),
        .currentData(0x10), .currentData(0x01), .currentData(0x00), .confirmedCodes, .pendingCodes,
        .vehicleInformation(.vin), .vehicleInformation(.calibrationIDs),
    ]

    private let seed: UInt64
    private let bus: BusProtocol
    private var numbers: SeededNumbers
    private var link: ChaoticLink
    private var dialogue = Dialogue()
    /// What polls, as a session does; nil until there is a vehicle.
    private var machine: SessionAgenda?
    private var now = MonotonicTime(sinceBoot: .seconds(1))
    /// The last lines of the dialogue, for whoever looks for a mistake.
    private var said: [String] = []
    private var outcome = Outcome()

    private init(seed: UInt64) {
        self.seed = seed
        self.numbers = SeededNumbers(seed)
        var options = SimulatedVehicle.Options()
        options.seed = seed
        // OBD-II does not run on J1939. Every other vehicle is on CAN, on which alone several PIDs are asked for at once.
        self.bus =
            BusProtocol.allCases.filter { $0 != .j1939 && ($0.isCAN || !seed.isMultiple(of: 2)) }
            .randomElement(using: &self.numbers) ?? .can11at500
        options.bus = self.bus
        options.codes = [DTC(rawValue: 0x0301), DTC(rawValue: 0x0420), DTC(rawValue: 0x0700)]
        options.padding = [nil, 0x00, 0x55, 0xAA].randomElement(using: &self.numbers) ?? nil
        self.link = ChaoticLink(options, seed: self.seed &* 31)
    }

    /// Runs vehicle after vehicle until so many replies have been printed, or a value was wrong.
    ///
    /// - Parameters:
    ///   - seed: what decides everything; the first vehicle's, the next has the next one.
    ///   - chaos: how many replies of a hundred are spoiled.
    package static func run(seed: UInt64, replies: Int, chaos: Int) -> Outcome {
        var total = Outcome()
        var seed = seed
        while total.replies < replies, total.violations.isEmpty {
            var run = PropertyRun(seed: seed)
            let outcome = run.run(min(5000, replies - total.replies), chaos)
            total.replies += outcome.replies
            total.accepted += outcome.accepted
            total.grouped += outcome.grouped
            total.counted += outcome.counted
            total.restarts += outcome.restarts
            total.violations += outcome.violations
            seed &+= 1
        }
        return total
    }

    private mutating func run(_ replies: Int, _ chaos: Int) -> Outcome {
        self.bringUp()
        self.link.chaos = chaos
        var request = Self.requests[0]
        while self.link.replies < replies, self.outcome.violations.isEmpty {
            // The same again, more often than not: a late answer to the same request is the hardest to tell.
            if Int.random(in: 0..<5, using: &self.numbers) < 2 {
                request = Self.requests.randomElement(using: &self.numbers) ?? request
            }
            self.now = self.now + .milliseconds(Int.random(in: 0...50, using: &self.numbers))
            if Bool.random(using: &self.numbers) { self.ask(request) } else { self.poll() }
        }
        self.outcome.replies = self.link.replies
        return self.outcome
    }

    private var layout: MessageLayout { self.bus.isCAN ? .can : .legacy }

    // MARK: - The client, as a session is one

    private mutating func ask(_ request: Request) {
        let begin = self.now
        switch self.perform(BusRequest(request, layout: self.layout))?.outcome {
        case .answered(let answers): self.check(answers, request, since: begin)
        case .adapterRestarted, .adapterSilent, .settingsNotRestored, nil: self.bringUp()
        case .noData, .busUnavailable, .unusable, .refused, .withdrawn: break
        }
    }

    /// Asks what a session would ask now: one PID or several, with a count of frames once that is known.
    private mutating func poll() {
        let begin = self.now
        guard var machine = self.machine, case .ask(let question) = machine.next(at: begin),
            let request = machine.busRequest(question)
        else { return }
        guard let result = self.perform(request) else { return self.bringUp() }
        machine.ended(question, after: self.now - begin)
        let action = machine.answered(question, result, at: self.now)
        self.machine = machine
        guard case .proceed(let events) = action else { return self.bringUp() }
        for case .samples(let samples) in events {
            for sample in samples {
                self.outcome.accepted += 1
                if case .pids = question { self.outcome.grouped += 1 }
                if request.frameCount != nil, !result.isMiscounted { self.outcome.counted += 1 }
                guard !self.wasSent(sample, since: begin) else { continue }
                self.violate("\(question)", sample.ecu, "\(sample.value.field.name) \(sample.value.value)")
            }
        }
    }

    /// A machine that polls more than the link carries, over an adapter that is known to be able to.
    private func newMachine(_ report: AdapterReport) -> SessionAgenda {
        let pids: [PID] = [0x04, 0x05, 0x0C, 0x0D, 0x0F, 0x10, 0x11, 0x42]
        let intervals = Dictionary(uniqueKeysWithValues: pids.map { (ParameterKey.pid($0), Duration.milliseconds(50)) })
        var machine = SessionAgenda(report, selection: Selection(intervals: intervals))
        var report = report
        report.assessments = [.multiplePIDs: Assessment(.works), .responseCount: Assessment(.works)]
        machine.learn(report)
        return machine
    }

    /// Performs a request; nil where the link has to be opened anew.
    private mutating func perform(_ request: BusRequest) -> BusResult? {
        var exchange = Exchange(request, on: self.bus)
        var step = exchange.begin()
        while true {
            switch step {
            case .send(let command):
                guard let outcome = self.perform(command) else { return nil }
                step = exchange.stepEnded(outcome)
            case .resynchronize:
                guard let outcome = self.resynchronize() else { return nil }
                step = exchange.stepEnded(outcome)
            case .pause(let duration):
                self.now = self.now + duration
                while self.link.read(until: self.now) != nil {}
                step = exchange.stepEnded()
            case .finished(let result): return result
            }
        }
    }

    /// Opens the link anew and starts the adapter, as a session does after its end.
    private mutating func bringUp() {
        let chaos = self.link.chaos
        for attempt in 0... {
            self.outcome.restarts += 1
            // A serial line delivers what was on its way; a new connection does not.
            if Bool.random(using: &self.numbers) { self.link.reopen() }
            // Else it might never end.
            if attempt > 3 { self.link.chaos = 0 }
            self.dialogue = Dialogue()
            let begin = self.now
            var startUp = StartUp(bus: self.bus)
            var step = startUp.begin()
            while case .send(let command) = step {
                let sent = self.now
                guard let outcome = self.perform(command) else { break }
                step = startUp.commandEnded(outcome, after: self.now - sent, form: self.dialogue.form)
            }
            if case .finished(let report) = step {
                let answers = report.ecus.mapValues { ECUReply.positive($0) }
                self.check(answers, .currentData(0x00), since: begin)
                self.machine = self.newMachine(report)
                break
            }
            self.now = self.now + .seconds(1)
        }
        self.link.chaos = chaos
    }

    private mutating func perform(_ command: AdapterCommand) -> CommandOutcome? {
        if self.dialogue.isInDoubt {
            guard let outcome = self.resynchronize() else { return nil }
            if case .silence = outcome { return outcome }
        }
        guard case .send(let bytes, let timeout) = self.dialogue.submit(command) else { return nil }
        self.write(bytes)
        return self.receive(for: timeout)
    }

    private mutating func resynchronize() -> CommandOutcome? {
        guard case .wait(let quiet) = self.dialogue.resynchronize() else { return nil }
        return self.receive(for: quiet)
    }

    private mutating func write(_ bytes: [UInt8]) {
        self.say("> ", bytes)
        self.link.write(bytes, at: self.now)
    }

    private mutating func receive(for timeout: Duration) -> CommandOutcome? {
        var deadline = self.now + timeout
        while true {
            if let (time, bytes) = self.link.read(until: deadline) {
                self.now = max(self.now, time)
                self.say("< ", bytes)
                switch self.dialogue.bytesReceived(bytes) {
                case .wait: continue
                case .extend(let duration): deadline = self.now + duration
                case .deliver(let outcome): return outcome
                case .close: return nil
                }
            } else {
                self.now = max(self.now, deadline)
                switch self.dialogue.deadlinePassed() {
                case .none: return nil
                case .send(let bytes, let timeout):
                    self.write(bytes)
                    deadline = self.now + timeout
                case .wait(let duration): deadline = self.now + duration
                case .deliver(let outcome): return outcome
                }
            }
        }
    }

    private mutating func say(_ mark: String, _ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self).replacing("\r", with: "\\r")
        self.said = self.said.suffix(30) + ["\(self.now.sinceBoot.milliseconds) \(mark)\(text)"]
    }

    // MARK: - The truth

    /// Holds what was understood against the vehicle's own log.
    private mutating func check(
        _ answers: [ECUAddress: ELM327.ECUReply],
        _ request: Request,
        since begin: MonotonicTime
    ) {
        for (ecu, answer) in answers {
            guard case .positive(let messages) = answer, let value = Self.value(messages, request, self.bus) else {
                continue
            }
            self.outcome.accepted += 1
            let isTrue = self.isTrue(value, of: ecu, request, since: begin)
            guard !isTrue else { continue }
            self.violate("\(request)", ecu, "\(messages)")
        }
    }

    private mutating func violate(_ request: String, _ ecu: ECUAddress, _ answer: String) {
        self.outcome.violations.append(
            Violation(
                seed: self.seed,
                reply: self.link.replies,
                request: request,
                ecu: ecu,
                answer: answer,
                said: self.said
            )
        )
    }

    /// Whether the ECU has put this value on the bus after `begin`, alone or with others.
    private func wasSent(_ sample: Sample, since begin: MonotonicTime) -> Bool {
        guard let parameter = Parameter.named(sample.value.field.name) else { return false }
        return self.link.vehicle.log.contains { message in
            guard message.time >= begin, sample.ecu.is(message.ecu), message.bytes.first == 0x41,
                let parts = try? CurrentData.walk(Array(message.bytes.dropFirst()), requested: nil)
            else { return false }
            return parts.contains { part in
                part.pid == parameter.pid && (try? parameter.decode(part.data))?.contains(sample.value) == true
            }
        }
    }

    /// Whether `ecu` has put what decodes to `value` on the bus after `begin`.
    private func isTrue(_ value: [String], of ecu: ECUAddress, _ request: Request, since begin: MonotonicTime) -> Bool {
        let sent = self.link.vehicle.log.filter { $0.time >= begin && ecu.is($0.ecu) }
            .filter { $0.bytes.starts(with: [request.service.positiveResponse] + request.echo) }
        guard !self.bus.isCAN, request.service != .currentData else {
            return sent.contains { Self.value([$0.bytes], request, self.bus) == value }
        }
        // Several messages make one answer: those of one request, which stand together in the log.
        return sent.indices.contains { first in
            sent.indices[first...].contains { Self.value(sent[first...$0].map(\.bytes), request, self.bus) == value }
        }
    }

    /// What the messages mean, as text that can be compared; nil for nothing.
    private static func value(_ messages: [[UInt8]], _ request: Request, _ bus: BusProtocol) -> [String]? {
        guard let reply = try? Reply(messages: messages, to: request) else { return nil }
        let layout: MessageLayout = bus.isCAN ? .can : .legacy
        switch request.service {
        case .currentData:
            guard let parameter = request.pids.first.flatMap({ Parameter.withPID($0) }),
                !parameter.isSentinel(reply.data), let values = try? parameter.decode(reply.data)
            else { return nil }
            return values.map { "\($0.field.name) \($0.value)" }
        case .vehicleInformation where request.data == [InfoType.vin.rawValue]:
            return (try? VehicleInformation.vin(reply, layout: layout)).map { [$0.description] }
        case .vehicleInformation:
            return try? VehicleInformation.calibrationIDs(reply, layout: layout)
        default:
            return (try? CodeReply.decode(reply, layout: layout))?.map(\.description)
        }
    }
}

extension ECUAddress {
    /// Whether it is the address of a simulated ECU.
    fileprivate func `is`(_ ecu: ECU) -> Bool {
        switch self {
        case .can11(let identifier): UInt32(identifier) == ecu.identifier
        case .can29(let address), .legacy(let address): address == ecu.address
        case .can29Identifier, .j1939: false
        }
    }
}
