// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Session
import Simulator
import TestSupport

/// A client that polls a simulated vehicle over a ``ChaoticLink``, and compares every value that it accepts with the
/// messages that the ECUs have sent since the request.
package struct PropertyRun {
    /// A value that no ECU has sent as an answer to its request.
    package struct Violation: Sendable, CustomStringConvertible {
        let seed: UInt64
        let reply: Int
        let request: String
        let ecu: ECUAddress
        /// The answer that the client understood.
        let answer: String
        let said: [String]

        package var description: String {
            """
            seed \(self.seed), reply \(self.reply): \(self.request) of \(self.ecu) gave \(self.answer), but the ECU \
            has sent none of that since; the dialogue: \(self.said)
            """
        }
    }

    /// The result of a run.
    package struct Outcome: Sendable, CustomStringConvertible {
        /// The number of replies that the adapter printed.
        package var replies = 0
        /// The number of answers that the client accepted from ECUs.
        package var accepted = 0
        /// The numbers of accepted answers to requests for several PIDs, and to requests with a frame count.
        package var grouped = 0
        package var counted = 0
        /// The number of start-ups of the adapter.
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

    /// The percentages of corrupted replies with which the tests run.
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
    /// The polling machine of a session; nil until a vehicle answers.
    private var machine: SessionAgenda?
    private var now = MonotonicTime(sinceBoot: .seconds(1))
    /// The last lines of the dialogue, which a violation reports.
    private var said: [String] = []
    private var outcome = Outcome()

    private init(seed: UInt64) {
        self.seed = seed
        self.numbers = SeededNumbers(seed)
        var options = SimulatedVehicle.Options()
        options.seed = seed
        // J1939 does not carry OBD-II. Every other vehicle is on CAN, the only bus with requests for several PIDs.
        self.bus =
            BusProtocol.allCases.filter { $0 != .j1939 && ($0.isCAN || !seed.isMultiple(of: 2)) }
            .randomElement(using: &self.numbers) ?? .can11at500
        options.bus = self.bus
        options.codes = [DTC(rawValue: 0x0301), DTC(rawValue: 0x0420), DTC(rawValue: 0x0700)]
        options.padding = [nil, 0x00, 0x55, 0xAA].randomElement(using: &self.numbers) ?? nil
        self.link = ChaoticLink(options, seed: self.seed &* 31)
    }

    /// Runs one vehicle after another until the adapters have printed `replies` replies, or a value was wrong.
    ///
    /// - Parameters:
    ///   - seed: the seed of the first vehicle, which determines its whole run; each next vehicle has the next number.
    ///   - chaos: the percentage of corrupted replies.
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
            // Most requests repeat the one before: a late answer to the same request is the hardest to detect.
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

    // MARK: - The client

    private mutating func ask(_ request: Request) {
        let begin = self.now
        switch self.perform(BusRequest(request, layout: self.layout))?.outcome {
        case .answered(let answers): self.check(answers, request, since: begin)
        case .adapterRestarted, .adapterSilent, .settingsNotRestored, nil: self.bringUp()
        case .noData, .busUnavailable, .unusable, .refused, .withdrawn: break
        }
    }

    /// Sends the request that a session would send now: one or several PIDs, with a frame count once it is known.
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

    /// Returns a machine that polls more than the link carries, over an adapter with all proven capabilities.
    private func newMachine(_ report: AdapterReport) -> SessionAgenda {
        let pids: [PID] = [0x04, 0x05, 0x0C, 0x0D, 0x0F, 0x10, 0x11, 0x42]
        let intervals = Dictionary(uniqueKeysWithValues: pids.map { (ParameterKey.pid($0), Duration.milliseconds(50)) })
        var machine = SessionAgenda(report, selection: Selection(intervals: intervals))
        var report = report
        report.assessments = [.multiplePIDs: Assessment(.works), .responseCount: Assessment(.works)]
        machine.learn(report)
        return machine
    }

    /// Performs a request and returns its result; nil if the link has to be reopened.
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

    /// Reopens the link and starts the adapter, as the agent does after the end of a session.
    private mutating func bringUp() {
        let chaos = self.link.chaos
        for attempt in 0... {
            self.outcome.restarts += 1
            // A serial line still delivers the bytes on their way; a new connection does not.
            if Bool.random(using: &self.numbers) { self.link.reopen() }
            // Later attempts have an intact link, so that the loop ends.
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

    /// Compares the answers that the client understood with the vehicle's own log.
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

    /// Whether the ECU has sent this value after `begin`, alone or with other values.
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

    /// Whether `ecu` has sent messages after `begin` that decode to `value`.
    private func isTrue(_ value: [String], of ecu: ECUAddress, _ request: Request, since begin: MonotonicTime) -> Bool {
        let sent = self.link.vehicle.log.filter { $0.time >= begin && ecu.is($0.ecu) }
            .filter { $0.bytes.starts(with: [request.service.positiveResponse] + request.echo) }
        guard !self.bus.isCAN, request.service != .currentData else {
            return sent.contains { Self.value([$0.bytes], request, self.bus) == value }
        }
        // On these buses several messages form one answer. The messages of one request are adjacent in the log.
        return sent.indices.contains { first in
            sent.indices[first...].contains { Self.value(sent[first...$0].map(\.bytes), request, self.bus) == value }
        }
    }

    /// Returns the decoded messages as text that can be compared; nil if they have no value.
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
    /// Whether this is the address of a simulated ECU.
    fileprivate func `is`(_ ecu: ECU) -> Bool {
        switch self {
        case .can11(let identifier): UInt32(identifier) == ecu.identifier
        case .can29(let address), .legacy(let address): address == ecu.address
        case .can29Identifier, .j1939: false
        }
    }
}
