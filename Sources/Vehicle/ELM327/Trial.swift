// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What a vehicle has that trials of an adapter can ask for.
package struct ProbedVehicle: Sendable {
    /// The ECU that is asked alone.
    package var primary: ECUAddress
    /// Two PIDs of service 01 that it supports, each with the length of its data.
    package var pids: [(pid: UInt8, length: Int)]
    /// Whether it tells its identification number, which takes more than one frame.
    package var hasVIN: Bool
    /// Whether it measures the supply voltage itself: PID 42.
    package var hasVoltage: Bool

    package init(primary: ECUAddress, pids: [(pid: UInt8, length: Int)], hasVIN: Bool, hasVoltage: Bool) {
        self.primary = primary
        self.pids = pids
        self.hasVIN = hasVIN
        self.hasVoltage = hasVoltage
    }
}

/// One test of a ``CapabilityProbe``: what it sends, and what the replies mean.
struct Trial: Sendable {
    /// What came back for one line.
    struct Reply: Sendable {
        let outcome: CommandOutcome
        /// The answers, where a request was sent.
        let interpreted: ReplyInterpreter?
        let took: Duration

        var ecus: Set<ECUAddress> { Set(self.answers.keys) }

        /// The messages of each ECU.
        var answers: [ECUAddress: [[UInt8]]] {
            (self.interpreted?.replies ?? [:]).compactMapValues { reply in
                guard case .positive(let messages) = reply else { return nil }
                return messages
            }
        }
    }

    /// A command or a request.
    struct Line: Sendable {
        let command: Command
        var request: BusRequest?
        /// What sets back what it set, and what else may, where that did not work.
        var undo: [String] = []
        /// Whether the trial is over where it is refused; unlike a plain request it need not be known.
        var isDecisive = false
        /// Whether the answer tells whose vehicle it is.
        var isPrivate = false

        static func set(_ line: String, undo: String..., isDecisive: Bool = true) -> Line {
            Line(command: Command(line, timeout: AdapterCommand.timeout), undo: undo, isDecisive: isDecisive)
        }

        static func ask(_ request: BusRequest, digit: Int? = nil) -> Line {
            let digits = hexadecimal(request.payload)
            let line = digits + (digit.map { String($0, radix: 16, uppercase: true) } ?? "")
            let command = Command(line, timeout: Exchange.slowTimeout, service: request.service)
            return Line(command: command, request: request, isDecisive: digit != nil || request.payload.count > 2)
        }

        static let supported = Line.ask(Trial.supported)
        static let vin = Line(
            command: Command("0902", timeout: Exchange.slowTimeout, service: 0x09),
            request: BusRequest(payload: [0x09, 0x02], echo: [0x02]),
            isPrivate: true
        )
        /// Waits as long as possible for what is long.
        static let slow = Line.set("ATSTFF", undo: "ATST32", isDecisive: false)
        static let unadapted = Line.set("ATAT0", undo: "ATAT1")
    }

    let capability: Capability
    let lines: [Line]
    let judge: @Sendable ([Reply], Set<ECUAddress>) -> Assessment

    static let supported = BusRequest(payload: [0x01, 0x00], echo: [0x00], lengths: 6...6)
    // MARK: - All of them

    /// The trials that make sense with this adapter and vehicle, the most useful first.
    static func all(_ report: AdapterReport, _ vehicle: ProbedVehicle) -> [Trial] {
        let isCAN = report.bus.isCAN
        return [
            self.responseCount(report), isCAN && vehicle.pids.count == 2 ? self.multiplePIDs(vehicle) : nil,
            self.stn, vehicle.hasVIN ? self.longMessages(report) : nil, self.adaptiveTiming, self.responseTimeout,
            Identifiers(report, vehicle).map { self.physicalAddressing($0, vehicle) },
            Identifiers(report, vehicle).map { self.receiveFilter($0) },
            vehicle.hasVIN ? Identifiers(report, vehicle).map { self.flowControl($0, vehicle) } : nil,
            report.voltage != nil && vehicle.hasVoltage ? self.voltage(vehicle) : nil,
        ].compactMap(\.self)
    }

    /// What can't be tested with them, and why.
    static func untestable(_ report: AdapterReport, _ vehicle: ProbedVehicle) -> [(Capability, String)] {
        var reasons: [(Capability, String)] = []
        if !report.bus.isCAN {
            let ofCAN: [Capability] = [.multiplePIDs, .physicalAddressing, .receiveFilter, .filterReset, .flowControl]
            reasons += ofCAN.map { ($0, "the bus is not CAN") }
        } else if vehicle.pids.count < 2 {
            reasons.append((.multiplePIDs, "the vehicle has no two values to ask for"))
        }
        if !vehicle.hasVIN {
            reasons += [.longMessages, .flowControl].map { ($0, "the vehicle tells nothing that is long") }
        }
        return reasons
    }

    /// Long enough a difference to be no accident.
    private static let difference = Duration.milliseconds(12)

    private static func fastest(_ replies: some Sequence<Reply>) -> Duration {
        replies.map(\.took).min() ?? .zero
    }

    private static func responseCount(_ report: AdapterReport) -> Trial? {
        let count = report.ecus.values.reduce(0) { $0 + $1.count }
        guard 1...15 ~= count else { return nil }
        return Trial(
            capability: .responseCount,
            lines: [.supported, .ask(Self.supported, digit: count), .supported, .ask(Self.supported, digit: count)]
        ) { replies, ecus in
            let plain = [replies[0], replies[2]]
            let counted = [replies[1], replies[3]]
            guard plain.allSatisfy({ $0.ecus.isSuperset(of: ecus) }) else {
                return Assessment(.notTested("an ECU did not answer"))
            }
            guard counted.allSatisfy({ $0.answers == plain[0].answers }) else {
                return Assessment(.ignored, note: "the answer is not the same")
            }
            let times = (Self.fastest(counted), Self.fastest(plain))
            let note = "digit \(count): \(milliseconds(times.0)) ms instead of \(milliseconds(times.1)) ms"
            return Assessment(times.0 + Self.difference < times.1 ? .works : .ignored, note: note)
        }
    }

    private static func multiplePIDs(_ vehicle: ProbedVehicle) -> Trial {
        let pids = vehicle.pids
        let primary = vehicle.primary
        return Trial(
            capability: .multiplePIDs,
            lines: [.ask(BusRequest(payload: [0x01] + pids.map(\.pid), echo: []))]
        ) { replies, _ in
            let messages = replies[0].answers[primary] ?? []
            let isWhole = messages.contains { message in
                Self.holds(pids[0], pids[1], message) || Self.holds(pids[1], pids[0], message)
            }
            return Assessment(isWhole ? .works : .ignored)
        }
    }

    /// Whether a message holds two values and nothing else, in this order.
    private static func holds(
        _ first: (pid: UInt8, length: Int),
        _ second: (pid: UInt8, length: Int),
        _ message: [UInt8]
    ) -> Bool {
        let middle = 2 + first.length
        guard message.count == middle + 1 + second.length else { return false }
        return message[1] == first.pid && message[middle] == second.pid
    }

    private static let stn = Trial(capability: .stn, lines: [.set("STI")]) { replies, _ in
        guard case .reply(let lines) = replies[0].outcome, let line = lines.last else { return Assessment(.refused) }
        return Assessment(compact(line).hasPrefix("STN") ? .works : .refused)
    }

    private static func longMessages(_ report: AdapterReport) -> Trial {
        let isCAN = report.bus.isCAN
        return Trial(
            capability: .longMessages,
            lines: [.slow, .vin]
        ) { replies, _ in
            guard let reply = replies.last, reply.interpreted?.notices.contains(.noData) == false else {
                return Assessment(.notTested("the vehicle did not answer"))
            }
            let isWhole = reply.answers.values.contains { isCAN ? ($0.first?.count ?? 0) > 7 : $0.count == 5 }
            return Assessment(isWhole ? .works : .ignored)
        }
    }

    private static let adaptiveTiming = Trial(
        capability: .adaptiveTiming,
        lines: [.unadapted, .supported, .supported, .set("ATAT1")] + [Line](repeating: .supported, count: 4)
    ) { replies, _ in
        let times = (Self.fastest(replies[4...]), Self.fastest(replies[1...2]))
        let note = "\(milliseconds(times.0)) ms instead of \(milliseconds(times.1)) ms"
        return Assessment(times.0 + Self.difference < times.1 ? .works : .ignored, note: note)
    }

    private static let responseTimeout = Trial(
        capability: .responseTimeout,
        lines: [
            .unadapted, .set("ATST32"), .supported, .set("ATST64", undo: "ATST32"), .supported,
        ]
    ) { replies, _ in
        // 32 more steps of 4.096 ms each.
        let added = replies[4].took - replies[2].took
        let isRight = .milliseconds(100) < added && added < .milliseconds(400)
        guard isRight || replies[2].took > .milliseconds(200) else {
            return Assessment(.notTested("the adapter goes on adapting"))
        }
        return Assessment(
            isRight ? .works : .ignored,
            note: "\(milliseconds(added)) ms added, where 205 ms were wanted"
        )
    }

    private static func physicalAddressing(_ identifiers: Identifiers, _ vehicle: ProbedVehicle) -> Trial {
        let primary = vehicle.primary
        return Trial(
            capability: .physicalAddressing,
            lines: [
                .set("ATSH\(identifiers.primaryHeader)", undo: "ATSH\(identifiers.everybodyHeader)"), .supported,
                .set("ATSH\(identifiers.nobodyHeader)", undo: "ATSH\(identifiers.everybodyHeader)"), .supported,
            ]
        ) { replies, _ in
            let isAlone = replies[1].ecus == [primary]
            let isNobody = !replies[3].ecus.contains(primary)
            return Assessment(isAlone && isNobody ? .works : .ignored)
        }
    }

    private static func receiveFilter(_ identifiers: Identifiers) -> Trial {
        Trial(
            capability: .receiveFilter,
            lines: [.set("ATCRA\(identifiers.nobody)", undo: "ATCRA", "ATAR"), .supported]
        ) { replies, _ in
            Assessment(replies[1].interpreted?.notices.contains(.noData) == true ? .works : .ignored)
        }
    }

    /// An ECU leaves as much time between two frames as the flow control frame wants.
    private static func flowControl(_ identifiers: Identifiers, _ vehicle: ProbedVehicle) -> Trial {
        let primary = vehicle.primary
        return Trial(
            capability: .flowControl,
            lines: [
                .unadapted, .slow, .vin, .set("ATFCSH\(identifiers.flowControlHeader)"), .set("ATFCSD300050"),
                .set("ATFCSM1", undo: "ATFCSM0"), .vin,
            ]
        ) { replies, _ in
            guard replies[2].ecus.contains(primary) else { return Assessment(.notTested("the vehicle did not answer")) }
            guard replies[6].answers[primary] == replies[2].answers[primary] else {
                return Assessment(.ignored, note: "the message does not arrive")
            }
            let added = replies[6].took - replies[2].took
            let isSlower = added > .milliseconds(80)
            return Assessment(
                isSlower ? .works : .ignored,
                note: isSlower ? nil : "the time between frames does not change, which may be the ECU's doing"
            )
        }
    }

    private static func voltage(_ vehicle: ProbedVehicle) -> Trial {
        let primary = vehicle.primary
        let request = BusRequest(payload: [0x01, 0x42], echo: [0x42], lengths: 4...4)
        return Trial(
            capability: .voltage,
            lines: [.set("ATRV"), .ask(request), .set("ATRV")]
        ) { replies, _ in
            let read = [replies[0], replies[2]].compactMap { reply -> Double? in
                guard case .reply(let lines) = reply.outcome else { return nil }
                return AdapterCommand.voltage(in: lines)
            }
            guard let volts = read.first, read.count == 2 else { return Assessment(.ignored) }
            guard let message = replies[1].answers[primary]?.first, message.count == 4 else {
                return Assessment(.works, note: "the vehicle tells none to compare with")
            }
            // SAE J1979: millivolts in two bytes.
            let module = Double(Int(message[2]) << 8 | Int(message[3])) / 1000
            let tenths = ((volts - module) * 10).rounded() / 10
            return Assessment(
                tenths.magnitude <= 1.5 ? .works : .ignored,
                note: tenths == 0 ? nil : "\(tenths.magnitude) V \(tenths > 0 ? "above" : "below") the vehicle's own"
            )
        }
    }
}

/// Whole milliseconds.
private func milliseconds(_ duration: Duration) -> Int {
    Int((duration / .milliseconds(1)).rounded())
}

/// The identifiers of CAN that trials need.
struct Identifiers: Sendable {
    /// `AT SH` for one ECU, for one that is not there, and for all.
    let primaryHeader: String
    let nobodyHeader: String
    let everybodyHeader: String
    /// What an ECU that is not there would answer with.
    let nobody: String
    /// Whom a flow control frame goes to.
    let flowControlHeader: String

    /// Nil where the bus is not CAN, or every address is taken.
    init?(_ report: AdapterReport, _ vehicle: ProbedVehicle) {
        func hex(_ value: UInt16) -> String { String(value, radix: 16, uppercase: true) }
        switch vehicle.primary {
        case .can11(let identifier) where identifier >= 0x7E8:
            guard let free = (0x7E8...0x7EF).last(where: { report.ecus[.can11($0)] == nil }) else { return nil }
            self.primaryHeader = hex(identifier - 8)
            self.nobodyHeader = hex(free - 8)
            self.everybodyHeader = "7DF"
            self.nobody = hex(free)
            self.flowControlHeader = self.primaryHeader
        case .can29(let address):
            guard let free = (0x70...0x7F).last(where: { report.ecus[.can29($0)] == nil }) else { return nil }
            self.primaryHeader = "DA\(hexadecimal(address))F1"
            self.nobodyHeader = "DA\(hexadecimal(free))F1"
            self.everybodyHeader = "DB33F1"
            self.nobody = "18DAF1\(hexadecimal(free))"
            self.flowControlHeader = "18DA\(hexadecimal(address))F1"
        case .can11, .can29Identifier, .legacy, .j1939:
            return nil
        }
    }
}
