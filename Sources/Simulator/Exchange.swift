// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import ELM327
internal import OBD2
internal import Base

/// A line of hexadecimal digits: what goes on the bus, and how many frames to wait for.
struct AdapterRequest: Hashable, Sendable {
    let bytes: [UInt8]
    /// Zero for as many as come.
    let count: Int
    /// Whether nothing is asked: `AT MP`.
    let listens: Bool

    /// Listening to the broadcasts of a parameter group.
    init(listeningTo group: [UInt8], count: Int) {
        self.bytes = group
        self.count = count
        self.listens = true
    }

    /// - Parameter text: the line in capitals and without spaces.
    init?(_ text: String, settings: AdapterSettings) {
        let digits = Array(text.utf8)
        let pairs = digits.count / 2
        guard text.allSatisfy(\.isHexDigit), pairs > 0, pairs <= (settings.longMessages || !settings.formatting ? 8 : 7)
        else { return nil }
        var bytes: [UInt8] = []
        for index in 0..<pairs {
            guard let byte = UInt8(text.dropFirst(index * 2).prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
        }
        self.bytes = bytes
        self.listens = false
        guard digits.count % 2 == 1 else {
            self.count = 0
            return
        }
        guard let count = text.last?.hexDigitValue else { return nil }
        self.count = count
    }
}

/// Whether the adapter has a bus to talk to.
enum BusConnection: Hashable, Sendable {
    case closed
    case open(BusProtocol)

    var bus: BusProtocol? {
        switch self {
        case .closed: nil
        case .open(let bus): bus
        }
    }
}

/// What the adapter prints for one request, with the times.
struct Exchange: Sendable {
    struct Piece: Sendable {
        var time: MonotonicTime
        var bytes: [UInt8]
        var endsLine: Bool
        /// What an ECU said, not the adapter.
        var isData: Bool
    }

    var pieces: [Piece] = []
    /// When the adapter is done.
    var end: MonotonicTime
    private(set) var prompts = true
    /// Only the next byte from the client ends it.
    var isEndless = false

    init(at time: MonotonicTime) {
        self.end = time
    }

    /// The adapter says something at ``end``.
    mutating func say(_ text: String, endsLine: Bool = true) {
        self.pieces.append(Piece(time: self.end, bytes: Array(text.utf8), endsLine: endsLine, isData: false))
    }

    /// An ECU's data arrives at ``end``.
    mutating func pass(_ line: String) {
        self.pieces.append(Piece(time: self.end, bytes: Array(line.utf8), endsLine: true, isData: true))
    }

    /// Spoils what is printed as far as `fault` does that.
    mutating func suffer(_ fault: Fault?) {
        switch fault {
        case .garbage:
            guard let index = self.pieces.firstIndex(where: \.isData) else { return }
            let middle = self.pieces[index].bytes.count / 2
            self.pieces[index].bytes.replaceSubrange(middle..<middle, with: [0xFC, UInt8(ascii: "G"), 0x00, 0x7F])
        case .truncated:
            for index in self.pieces.indices where self.pieces[index].isData {
                self.pieces[index].bytes.removeLast(self.pieces[index].bytes.count / 2)
            }
        case .duplicatedLines:
            self.pieces = self.pieces.flatMap { $0.isData ? [$0, $0] : [$0] }
        case .promptMissing:
            self.prompts = false
        default:
            return
        }
    }
}

// MARK: - On the bus

extension SimulatedAdapter {
    /// Opens the bus if need be, asks, and collects what comes.
    mutating func run(
        _ request: AdapterRequest,
        _ fault: Fault?,
        _ exchange: inout Exchange,
        _ vehicle: inout SimulatedVehicle
    ) {
        guard let bus = self.connect(&exchange, vehicle) else { return }
        switch fault {
        case .stopped: return exchange.say("STOPPED")
        case .lowVoltageReset: return exchange.say("LV RESET")
        default: break
        }
        guard bus != .j1939 else { return self.runGroup(request, fault, &exchange, vehicle) }
        let sent = exchange.end
        // What comes late of the request before is heard now.
        var frames = self.unheard.filter { $0.time > sent }
        if case .lateReply(let earlier) = fault {
            frames += self.ask(earlier, at: sent - .milliseconds(5), bus, &vehicle)
        } else if let earlier = self.misbehaviour.lateRequest {
            frames += self.ask(earlier, at: sent - .milliseconds(5), bus, &vehicle)
        }
        if fault != .noData, let payload = self.payload(of: request, on: bus) {
            frames += self.ask(payload, at: sent, bus, &vehicle, negative: fault)
        }
        self.unheard = []
        guard self.settings.responses else { return }
        self.collect(
            frames,
            count: self.options.ignoresResponseCount ? 0 : request.count,
            since: sent,
            on: bus,
            &exchange
        )
        if !exchange.pieces.contains(where: \.isData) {
            exchange.say("NO DATA")
            // An initialised K-line falls asleep with its ECUs.
            if bus.isKLine, !vehicle.state(at: sent).ignition { self.connection = .closed }
        }
    }

    /// Prints the frames that come in time.
    private mutating func collect(
        _ frames: [BusFrame],
        count: Int,
        since sent: MonotonicTime,
        on bus: BusProtocol,
        _ exchange: inout Exchange
    ) {
        var before = sent
        var wait = self.wait
        var slowest: Duration?
        var seen = 0
        for frame in frames.sorted(by: { $0.time < $1.time }) where self.passes(frame, on: bus) {
            guard frame.time <= before + wait else { break }
            exchange.end = frame.time
            for line in frame.lines(on: bus, self.settings) { exchange.pass(line) }
            // A reply that follows a "response pending" may take 5 s (ISO 15765-4, P2*), and teaches nothing.
            if wait < .seconds(5) { slowest = max(slowest ?? .zero, frame.time - before) }
            wait = frame.isPending ? .seconds(5) : self.wait
            before = frame.time
            seen += 1
            if seen == count { break }
        }
        if let slowest {
            self.learned = self.learned.map { max(slowest, ($0 * 3 + slowest) / 4) } ?? slowest
        }
        if seen == 0 || seen != count { exchange.end = before + wait }
        let end = exchange.end
        self.unheard = frames.filter { $0.time > end }
    }

    /// How long to wait for one more frame.
    private var wait: Duration {
        let longest = self.settings.wait
        // ECUs on CAN answer as fast as each other.
        let margin = Duration.milliseconds(self.connection.bus?.isCAN == true ? 20 : 40)
        guard let learned = self.learned else { return longest }
        return switch self.settings.adaptive {
        case 1: min(longest, learned * 2 + margin)
        case 2 where self.misbehaviour.has(18): .milliseconds(1)
        case 2: min(longest, learned * 3 / 2 + .milliseconds(16))
        default: longest
        }
    }

    /// Makes the bus ready as real adapters do, or says why it is not.
    mutating func connect(_ exchange: inout Exchange, _ vehicle: SimulatedVehicle) -> BusProtocol? {
        if let bus = self.connection.bus {
            return bus == vehicle.bus || self.reportWrongBus(bus, &exchange, vehicle) ? bus : nil
        }
        guard !self.choice.automatic else { return self.search(&exchange, vehicle) }
        guard let bus = self.choice.bus else {
            exchange.end = exchange.end + .milliseconds(100)
            exchange.say("CAN ERROR")
            return nil
        }
        if bus.isKLine {
            exchange.say(bus == .kwpFast ? "BUS INIT: " : "BUS INIT: ...", endsLine: false)
            exchange.end = exchange.end + bus.searchTime
            let answers = bus == vehicle.bus && vehicle.state(at: exchange.end).ignition
            exchange.say(answers ? "OK" : "ERROR")
            guard answers else { return nil }
        }
        guard bus == vehicle.bus || self.reportWrongBus(bus, &exchange, vehicle) else { return nil }
        self.connection = .open(bus)
        return bus
    }

    /// Whether a request can be sent on a bus that is not the vehicle's; if not, says so.
    private func reportWrongBus(
        _ bus: BusProtocol,
        _ exchange: inout Exchange,
        _ vehicle: SimulatedVehicle
    ) -> Bool {
        // Nobody acknowledges a CAN frame at another speed, or where there is no CAN.
        guard bus.isOnCAN, bus.isFast != vehicle.bus.isFast || !vehicle.bus.isOnCAN else { return true }
        exchange.end = exchange.end + .milliseconds(100)
        exchange.say("CAN ERROR")
        return false
    }

    private mutating func search(_ exchange: inout Exchange, _ vehicle: SimulatedVehicle) -> BusProtocol? {
        exchange.say("SEARCHING...", endsLine: false)
        let order: [BusProtocol] = [
            .can11at500, .can11at250, .j1850PWM, .can29at500, .can29at250, .j1850VPW, .iso9141, .kwp5Baud, .kwpFast,
        ]
        let first = self.choice.bus.map { [$0] } ?? []
        for bus in first + order.filter({ !first.contains($0) }) {
            exchange.end = exchange.end + bus.searchTime
            if bus == vehicle.bus, vehicle.options.dialect == .j1979, vehicle.state(at: exchange.end).ignition {
                exchange.say("")
                self.connection = .open(bus)
                return bus
            }
        }
        exchange.say("")
        exchange.say("UNABLE TO CONNECT")
        return nil
    }

    /// What a request says once its framing is taken off; nothing if no ECU understands it.
    private func payload(of request: AdapterRequest, on bus: BusProtocol) -> [UInt8]? {
        guard self.settings.extendedAddress == nil || self.sideECU(on: bus) != nil else { return nil }
        guard bus.isCAN, !self.settings.formatting else {
            let isLong = self.options.dropsFurtherPIDs && request.bytes.first == 0x01
            return isLong ? Array(request.bytes.prefix(2)) : request.bytes
        }
        guard let control = request.bytes.first, control > 0, control < 8 else { return nil }
        let payload = request.bytes.dropFirst().prefix(Int(control))
        return payload.count == Int(control) ? Array(payload) : nil
    }

    /// The frames that come back for `payload`.
    private mutating func ask(
        _ payload: [UInt8],
        at time: MonotonicTime,
        _ bus: BusProtocol,
        _ vehicle: inout SimulatedVehicle,
        negative fault: Fault? = nil
    ) -> [BusFrame] {
        guard bus == vehicle.bus else { return [] }
        if let ecu = self.sideECU(on: bus) { return self.frames(of: ecu, to: payload, at: time, bus, vehicle) }
        guard let target = self.target(on: bus) else { return [] }
        var replies = vehicle.replies(to: payload, target: target, at: time)
        if case .negative(let code) = fault, let service = payload.first {
            let ecus = Set(replies.map(\.ecu)).union([.engine])
            replies = ecus.map { ECUReply(ecu: $0, delay: vehicle.latency(of: $0), message: [0x7F, service, code]) }
        }
        let padding = self.misbehaviour.has(31) ? 0xAA : vehicle.padding
        let gap =
            self.misbehaviour.has(35) ? .milliseconds(8) : max(self.settings.separation, vehicle.options.separation)
        return self.misbehaviour.spoil(replies, to: payload).flatMap { reply in
            BusFrame.frames(
                of: reply.message,
                from: reply.ecu,
                on: bus,
                at: time + reply.delay,
                padding: padding,
                gap: gap,
                onlyFirst: !self.settings.flowControl && self.settings.flowControlMode == 0
            )
        }
    }

    /// Whom the header of a request addresses; nothing if nobody.
    private func target(on bus: BusProtocol) -> RequestTarget? {
        guard let header = self.settings.header, header.count == 3 else {
            return !bus.hasExtendedIdentifiers || self.settings.priority == 0x18 ? .functional : nil
        }
        func physical(_ matches: (ECU) -> Bool) -> RequestTarget? {
            ECU.allCases.first(where: matches).map { .physical($0) }
        }
        switch bus {
        case .can11at500, .can11at250:
            let identifier = (UInt32(header[1]) << 8 | UInt32(header[2])) & 0x7FF
            return identifier == 0x7DF ? .functional : physical { $0.identifier - 8 == identifier }
        case .can29at500, .can29at250:
            guard self.settings.priority == 0x18 else { return nil }
            if header[0] == 0xDB, header[1] == 0x33 { return .functional }
            return header[0] == 0xDA ? physical { $0.address == header[1] } : nil
        case .kwp5Baud, .kwpFast:
            return header[1] == 0x33 ? .functional : physical { $0.address == header[1] }
        case .j1850PWM, .j1850VPW, .iso9141:
            return header[1] == 0x6A ? .functional : physical { $0.address == header[1] }
        case .j1939:
            return nil
        }
    }

    /// Whether the receive filter lets `frame` through.
    private func passes(_ frame: BusFrame, on bus: BusProtocol) -> Bool {
        guard bus.isCAN else { return true }
        let identifier = frame.identifier(on: bus)
        if let wanted = self.settings.receiveAddress {
            let digits = Array(String(identifier, radix: 16, uppercase: true))
            guard digits.count == wanted.count, zip(digits, wanted).allSatisfy({ $0 == $1 || $1 == "X" }) else {
                return false
            }
        }
        guard let filter = self.settings.filter, let mask = self.settings.mask else {
            // What OBD's ECUs use, unless somebody has asked for another.
            let usual = bus.hasExtendedIdentifiers ? 0x18DA_F100...0x18DA_F1FF : 0x7E8...0x7EF as ClosedRange<UInt32>
            return self.settings.receiveAddress != nil || usual.contains(identifier)
        }
        return identifier & mask == filter & mask
    }
}

extension ProtocolChoice {
    /// The OBD-II bus that is chosen, if one is.
    var bus: BusProtocol? { BusProtocol(rawValue: self.number) }
}

extension BusProtocol {
    /// J1939 included.
    fileprivate var isOnCAN: Bool { self.isCAN || self == .j1939 }

    /// 500 kbit/s.
    fileprivate var isFast: Bool { self == .can11at500 || self == .can29at500 }

    /// How long an adapter tries it: an initialisation at 5 bits a second takes its time.
    fileprivate var searchTime: Duration {
        switch self {
        case .iso9141, .kwp5Baud: .milliseconds(2500)
        case .kwpFast: .milliseconds(400)
        case .j1850PWM, .j1850VPW: .milliseconds(220)
        default: .milliseconds(150)
        }
    }
}
