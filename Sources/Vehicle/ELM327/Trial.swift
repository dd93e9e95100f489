// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The data of a vehicle that trials of an adapter can request.
package struct ProbedVehicle: Sendable {
    /// The ECU for requests to one ECU alone.
    package var primary: ECUAddress
    /// Two supported PIDs of service 01, each with the length of its data.
    package var pids: [(pid: UInt8, length: Int)]
    /// Whether the vehicle reports its identification number, which takes more than one frame.
    package var hasVIN: Bool
    /// Whether the vehicle reports its supply voltage (PID 42).
    package var hasVoltage: Bool

    package init(primary: ECUAddress, pids: [(pid: UInt8, length: Int)], hasVIN: Bool, hasVoltage: Bool) {
        self.primary = primary
        self.pids = pids
        self.hasVIN = hasVIN
        self.hasVoltage = hasVoltage
    }
}

/// A test of a ``CapabilityProbe``: the lines to send, and the judgment of the replies.
struct Trial: Sendable {
    /// The reply to one line.
    struct Reply: Sendable {
        let outcome: CommandOutcome
        /// The interpreted answers; nil for a command to the adapter.
        let interpreted: ReplyInterpreter?
        let duration: Duration

        var ecus: Set<ECUAddress> { Set(self.answers.keys) }

        /// The messages of each ECU that answered positively.
        var answers: [ECUAddress: [[UInt8]]] { self.interpreted?.positives ?? [:] }
    }

    /// A command to the adapter, or a request.
    struct Line: Sendable {
        let command: AdapterCommand
        var request: BusRequest?
        /// The command that undoes this line, then its alternatives.
        var undo: [String] = []
        /// Whether a refusal of this line ends the trial.
        var isDecisive = false
        /// Whether the answer identifies the vehicle.
        var isPrivate = false

        static func set(_ line: String, undo: String..., isDecisive: Bool = true) -> Line {
            Line(command: AdapterCommand(line), undo: undo, isDecisive: isDecisive)
        }

        static func ask(_ request: BusRequest, digit: Int? = nil) -> Line {
            let digits = hexadecimal(request.payload)
            let line = digits + (digit.map { String($0, radix: 16, uppercase: true) } ?? "")
            let command = AdapterCommand(line, timeout: Exchange.slowTimeout, service: request.service)
            return Line(command: command, request: request, isDecisive: digit != nil || request.payload.count > 2)
        }

        static let supported = Line.ask(Trial.supported)
        static let vin = Line(
            command: AdapterCommand("0902", timeout: Exchange.slowTimeout, service: 0x09),
            request: BusRequest(payload: [0x09, 0x02], echo: [0x02]),
            isPrivate: true
        )
        /// Sets the longest wait, for long answers.
        static let slow = Line.set("ATSTFF", undo: "ATST32", isDecisive: false)
        static let adaptationOff = Line.set("ATAT0", undo: "ATAT1")
    }

    let capability: Capability
    let lines: [Line]
    let judge: @Sendable ([Reply], Set<ECUAddress>) -> Assessment

    static let supported = BusRequest(payload: [0x01, 0x00], echo: [0x00], lengths: 6...6)
    // MARK: - All of them

    /// Returns the trials that apply to this adapter and vehicle, the most useful first.
    static func all(_ report: AdapterReport, _ vehicle: ProbedVehicle) -> [Trial] {
        let isCAN = report.bus.isCAN
        return [
            self.responseCount(report), isCAN && vehicle.pids.count == 2 ? self.multiplePIDs(vehicle) : nil,
            self.stn, report.voltage != nil && vehicle.hasVoltage ? self.voltage(vehicle) : nil,
            vehicle.hasVIN ? self.longMessages(report) : nil, self.adaptiveTiming, self.responseTimeout,
            Identifiers(report, vehicle).map { self.physicalAddressing($0, vehicle) },
            Identifiers(report, vehicle).map { self.receiveFilter($0) },
            vehicle.hasVIN ? Identifiers(report, vehicle).map { self.flowControl($0, vehicle) } : nil,
        ].compactMap(\.self)
    }

    /// Returns the capabilities that cannot be tested with this adapter and vehicle, each with the reason.
    static func untestable(_ report: AdapterReport, _ vehicle: ProbedVehicle) -> [(Capability, String)] {
        var reasons: [(Capability, String)] = []
        if !report.bus.isCAN {
            let canCapabilities: [Capability] = [
                .multiplePIDs, .physicalAddressing, .receiveFilter, .filterReset, .flowControl,
            ]
            reasons += canCapabilities.map { ($0, "the bus is not CAN") }
        } else if vehicle.pids.count < 2 {
            reasons.append((.multiplePIDs, "the vehicle supports fewer than two suitable PIDs"))
        }
        if !vehicle.hasVIN {
            reasons += [.longMessages, .flowControl].map { ($0, "the vehicle has no long message") }
        }
        return reasons
    }

    /// The smallest difference between two durations that is not taken for jitter.
    private static let significantDifference = Duration.milliseconds(12)

    private static func fastest(_ replies: some Sequence<Reply>) -> Duration {
        replies.map(\.duration).min() ?? .zero
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
                return Assessment(.ignored, note: "the answer differs")
            }
            let times = (Self.fastest(counted), Self.fastest(plain))
            let note = "digit \(count): \(milliseconds(times.0)) ms instead of \(milliseconds(times.1)) ms"
            return Assessment(times.0 + Self.significantDifference < times.1 ? .works : .ignored, note: note)
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
                Self.isPair(pids[0], pids[1], message) || Self.isPair(pids[1], pids[0], message)
            }
            return Assessment(isWhole ? .works : .ignored)
        }
    }

    /// Whether a message consists of exactly these two values, in this order.
    private static func isPair(
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
        lines: [.adaptationOff, .supported, .supported, .set("ATAT1")] + [Line](repeating: .supported, count: 4)
    ) { replies, _ in
        let times = (Self.fastest(replies[4...]), Self.fastest(replies[1...2]))
        let note = "\(milliseconds(times.0)) ms instead of \(milliseconds(times.1)) ms"
        return Assessment(times.0 + Self.significantDifference < times.1 ? .works : .ignored, note: note)
    }

    private static let responseTimeout = Trial(
        capability: .responseTimeout,
        lines: [
            .adaptationOff, .set("ATST32"), .supported, .set("ATST64", undo: "ATST32"), .supported,
        ]
    ) { replies, _ in
        // 0x32 = 50 more steps of 4.096 ms each.
        let added = replies[4].duration - replies[2].duration
        let isRight = .milliseconds(100) < added && added < .milliseconds(400)
        guard isRight || replies[2].duration > .milliseconds(200) else {
            return Assessment(.notTested("adaptive timing stays on"))
        }
        return Assessment(
            isRight ? .works : .ignored,
            note: "\(milliseconds(added)) ms added, 205 ms expected"
        )
    }

    private static func physicalAddressing(_ identifiers: Identifiers, _ vehicle: ProbedVehicle) -> Trial {
        let primary = vehicle.primary
        return Trial(
            capability: .physicalAddressing,
            lines: [
                .set("ATSH\(identifiers.primaryHeader)", undo: "ATSH\(identifiers.functionalHeader)"), .supported,
                .set("ATSH\(identifiers.unusedHeader)", undo: "ATSH\(identifiers.functionalHeader)"), .supported,
            ]
        ) { replies, _ in
            let isAlone = replies[1].ecus == [primary]
            let isUnanswered = !replies[3].ecus.contains(primary)
            return Assessment(isAlone && isUnanswered ? .works : .ignored)
        }
    }

    private static func receiveFilter(_ identifiers: Identifiers) -> Trial {
        Trial(
            capability: .receiveFilter,
            lines: [.set("ATCRA\(identifiers.unusedIdentifier)", undo: "ATCRA", "ATAR"), .supported]
        ) { replies, _ in
            Assessment(replies[1].interpreted?.notices.contains(.noData) == true ? .works : .ignored)
        }
    }

    /// Measures the time between two frames, which the flow control frame sets in the ECU.
    private static func flowControl(_ identifiers: Identifiers, _ vehicle: ProbedVehicle) -> Trial {
        let primary = vehicle.primary
        return Trial(
            capability: .flowControl,
            lines: [
                .adaptationOff, .slow, .vin, .set("ATFCSH\(identifiers.flowControlHeader)"), .set("ATFCSD300050"),
                .set("ATFCSM1", undo: "ATFCSM0"), .vin,
            ]
        ) { replies, _ in
            guard replies[2].ecus.contains(primary) else { return Assessment(.notTested("the vehicle did not answer")) }
            guard replies[6].answers[primary] == replies[2].answers[primary] else {
                return Assessment(.ignored, note: "the message did not arrive")
            }
            let added = replies[6].duration - replies[2].duration
            let isSlower = added > .milliseconds(80)
            return Assessment(
                isSlower ? .works : .ignored,
                note: isSlower ? nil : "the time between frames did not change; the cause may be the ECU"
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
                return Assessment(.works, note: "the vehicle reported no voltage to compare with")
            }
            // SAE J1979: millivolts in two bytes.
            let module = Double(Int(message[2]) << 8 | Int(message[3])) / 1000
            let tenths = ((volts - module) * 10).rounded() / 10
            return Assessment(
                tenths.magnitude <= 1.5 ? .works : .ignored,
                note: tenths == 0 ? nil : "\(tenths.magnitude) V \(tenths > 0 ? "above" : "below") the vehicle's value"
            )
        }
    }
}

/// Returns whole milliseconds.
private func milliseconds(_ duration: Duration) -> Int {
    Int((duration / .milliseconds(1)).rounded())
}

/// The CAN identifiers that trials need.
struct Identifiers: Sendable {
    /// The argument of `AT SH` for one ECU alone.
    let primaryHeader: String
    /// The argument of `AT SH` for an address that no ECU has.
    let unusedHeader: String
    /// The argument of `AT SH` for functional requests.
    let functionalHeader: String
    /// The identifier of the answers from the address that no ECU has.
    let unusedIdentifier: String
    /// The header of flow control frames to the primary ECU.
    let flowControlHeader: String

    /// Creates the identifiers; nil if the bus is not CAN, or every address is taken.
    init?(_ report: AdapterReport, _ vehicle: ProbedVehicle) {
        func hex(_ value: UInt16) -> String { String(value, radix: 16, uppercase: true) }
        switch vehicle.primary {
        case .can11(let identifier) where identifier >= 0x7E8:
            guard let free = (0x7E8...0x7EF).last(where: { report.ecus[.can11($0)] == nil }) else { return nil }
            self.primaryHeader = hex(identifier - 8)
            self.unusedHeader = hex(free - 8)
            self.functionalHeader = "7DF"
            self.unusedIdentifier = hex(free)
            self.flowControlHeader = self.primaryHeader
        case .can29(let address):
            guard let free = (0x70...0x7F).last(where: { report.ecus[.can29($0)] == nil }) else { return nil }
            self.primaryHeader = "DA\(hexadecimal(address))F1"
            self.unusedHeader = "DA\(hexadecimal(free))F1"
            self.functionalHeader = "DB33F1"
            self.unusedIdentifier = "18DAF1\(hexadecimal(free))"
            self.flowControlHeader = "18DA\(hexadecimal(address))F1"
        case .can11, .can29Identifier, .legacy, .j1939:
            return nil
        }
    }
}
