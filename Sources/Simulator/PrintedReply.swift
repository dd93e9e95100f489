// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base
internal import ELM327
internal import OBD2

/// A request in hexadecimal digits: the bytes for the bus, and the number of frames to wait for.
struct AdapterRequest: Hashable, Sendable {
    let bytes: [UInt8]
    /// The number of frames to wait for; zero for no limit.
    let count: Int
    /// Whether the adapter only monitors broadcasts (`AT MP`) and sends nothing.
    let isMonitoring: Bool

    /// Creates a request that monitors the broadcasts of a parameter group.
    init(listeningTo group: [UInt8], count: Int) {
        self.bytes = group
        self.count = count
        self.isMonitoring = true
    }

    /// Parses a line; nil if it is no request.
    ///
    /// - Parameters:
    ///   - text: the line in capitals and without spaces.
    ///   - settings: the settings of the adapter, which determine the longest request.
    init?(_ text: String, settings: AdapterSettings) {
        let digits = Array(text.utf8)
        let pairs = digits.count / 2
        guard text.allSatisfy(\.isHexDigit), pairs > 0, pairs <= (settings.longMessages || !settings.formatting ? 8 : 7)
        else { return nil }
        guard let bytes = [UInt8](hexadecimal: text.prefix(pairs * 2)) else { return nil }
        self.bytes = bytes
        self.isMonitoring = false
        guard digits.count % 2 == 1 else {
            self.count = 0
            return
        }
        guard let count = text.last?.hexDigitValue else { return nil }
        self.count = count
    }
}

/// The connection of the adapter to a bus.
enum BusSelection: Hashable, Sendable {
    case closed
    case open(BusProtocol)

    var bus: BusProtocol? {
        switch self {
        case .closed: nil
        case .open(let bus): bus
        }
    }
}

/// The printed reply to one request, in pieces with their times.
struct PrintedReply: Sendable {
    struct Piece: Sendable {
        var time: MonotonicTime
        var bytes: [UInt8]
        var endsLine: Bool
        /// Whether an ECU sent this, and not the adapter itself.
        var isData: Bool
    }

    var pieces: [Piece] = []
    /// The time at which the adapter has finished the request.
    var end: MonotonicTime
    /// Whether a prompt follows the reply.
    private(set) var hasPrompt = true
    /// Whether only the next byte from the client ends the reply.
    var isEndless = false

    init(at time: MonotonicTime) {
        self.end = time
    }

    /// Appends a text of the adapter's own at ``end``.
    mutating func appendText(_ text: String, endsLine: Bool = true) {
        self.pieces.append(Piece(time: self.end, bytes: Array(text.utf8), endsLine: endsLine, isData: false))
    }

    /// Appends a line with an ECU's data at ``end``.
    mutating func appendData(_ line: String) {
        self.pieces.append(Piece(time: self.end, bytes: Array(line.utf8), endsLine: true, isData: true))
    }

    /// Applies a fault that changes the printed reply.
    ///
    /// Other faults change nothing here.
    mutating func apply(_ fault: InjectedFault?) {
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
            self.hasPrompt = false
        default:
            return
        }
    }
}

// MARK: - On the bus

extension SimulatedAdapter {
    /// Opens the bus if it is closed, sends the request, and collects the answers.
    mutating func run(
        _ request: AdapterRequest,
        _ fault: InjectedFault?,
        _ exchange: inout PrintedReply,
        _ vehicle: inout SimulatedVehicle
    ) {
        guard let bus = self.connect(&exchange, vehicle) else { return }
        switch fault {
        case .stopped: return exchange.appendText("STOPPED")
        case .lowVoltageReset: return exchange.appendText("LV RESET")
        default: break
        }
        guard bus != .j1939 else { return self.runGroupRequest(request, fault, &exchange, vehicle) }
        let sent = exchange.end
        // Frames of the previous request that are still on their way arrive now.
        var frames = self.lateFrames.filter { $0.time > sent }
        if case .lateReply(let earlier) = fault {
            frames += self.ask(earlier, at: sent - .milliseconds(5), bus, &vehicle)
        } else if let earlier = self.misbehavior.lateRequest {
            frames += self.ask(earlier, at: sent - .milliseconds(5), bus, &vehicle)
        }
        if fault != .noData, let payload = self.payload(of: request, on: bus, vehicle) {
            frames += self.ask(payload, at: sent, bus, &vehicle, negative: fault)
        }
        self.lateFrames = []
        guard self.settings.responses else { return }
        self.collect(
            frames,
            count: self.options.ignoresResponseCount ? 0 : request.count,
            since: sent,
            on: bus,
            &exchange
        )
        if !exchange.pieces.contains(where: \.isData) {
            exchange.appendText("NO DATA")
            // The K-line needs a new initialization after its ECUs have lost power.
            if bus.isKLine, !vehicle.state(at: sent).isAwake { self.connection = .closed }
        }
    }

    /// Prints the frames that arrive before the timeout.
    private mutating func collect(
        _ frames: [BusFrame],
        count: Int,
        since sent: MonotonicTime,
        on bus: BusProtocol,
        _ exchange: inout PrintedReply
    ) {
        var lastTime = sent
        var wait = self.frameTimeout
        var slowest: Duration?
        var frameCount = 0
        for frame in frames.sorted(by: { $0.time < $1.time }) where self.settings.passes(frame, on: bus) {
            guard frame.time <= lastTime + wait else { break }
            exchange.end = frame.time
            for line in frame.lines(on: bus, self.settings) { exchange.appendData(line) }
            // A reply after "response pending" may take 5 s (ISO 15765-4, P2*). Its latency is not learned.
            if wait < .seconds(5) { slowest = max(slowest ?? .zero, frame.time - lastTime) }
            wait = frame.isPending ? .seconds(5) : self.frameTimeout
            lastTime = frame.time
            frameCount += 1
            if frameCount == count { break }
        }
        if let slowest {
            self.learnedLatency = self.learnedLatency.map { max(slowest, ($0 * 3 + slowest) / 4) } ?? slowest
        }
        if frameCount == 0 || frameCount != count { exchange.end = lastTime + wait }
        let end = exchange.end
        self.lateFrames = frames.filter { $0.time > end }
    }

    /// The time to wait for one more frame.
    private var frameTimeout: Duration {
        let isCAN = self.connection.bus?.isCAN == true
        return self.settings.frameTimeout(self.learnedLatency, isCAN: isCAN, isHasty: self.misbehavior.has(18))
    }

    /// Opens the bus as real adapters do.
    ///
    /// If that fails, prints the reason and returns nil.
    mutating func connect(_ exchange: inout PrintedReply, _ vehicle: SimulatedVehicle) -> BusProtocol? {
        if let bus = self.connection.bus {
            return bus == vehicle.bus || self.reportWrongBus(bus, &exchange, vehicle) ? bus : nil
        }
        guard !self.choice.automatic else { return self.search(&exchange, vehicle) }
        guard let bus = self.choice.bus else {
            exchange.end = exchange.end + .milliseconds(100)
            exchange.appendText("CAN ERROR")
            return nil
        }
        if bus.isKLine {
            exchange.appendText(bus == .kwpFast ? "BUS INIT: " : "BUS INIT: ...", endsLine: false)
            exchange.end = exchange.end + bus.searchTime
            let answers = bus == vehicle.bus && vehicle.state(at: exchange.end).isAwake
            exchange.appendText(answers ? "OK" : "ERROR")
            guard answers else { return nil }
        }
        guard bus == vehicle.bus || self.reportWrongBus(bus, &exchange, vehicle) else { return nil }
        self.connection = .open(bus)
        return bus
    }

    /// Returns whether a request can be sent on a bus that is not the vehicle's.
    ///
    /// If not, prints CAN ERROR.
    private func reportWrongBus(
        _ bus: BusProtocol,
        _ exchange: inout PrintedReply,
        _ vehicle: SimulatedVehicle
    ) -> Bool {
        // At another bit rate, or without CAN in the vehicle, no node acknowledges the frame.
        guard bus.isOnCAN, bus.isFast != vehicle.bus.isFast || !vehicle.bus.isOnCAN else { return true }
        exchange.end = exchange.end + .milliseconds(100)
        exchange.appendText("CAN ERROR")
        return false
    }

    private mutating func search(_ exchange: inout PrintedReply, _ vehicle: SimulatedVehicle) -> BusProtocol? {
        exchange.appendText("SEARCHING...", endsLine: false)
        let order: [BusProtocol] = [
            .can11at500, .can11at250, .j1850PWM, .can29at500, .can29at250, .j1850VPW, .iso9141, .kwp5Baud, .kwpFast,
        ]
        let first = self.choice.bus.map { [$0] } ?? []
        for bus in first + order.filter({ !first.contains($0) }) {
            exchange.end = exchange.end + bus.searchTime
            if bus == vehicle.bus, vehicle.answersSearch(at: exchange.end) {
                exchange.appendText("")
                self.connection = .open(bus)
                return bus
            }
        }
        exchange.appendText("")
        exchange.appendText("UNABLE TO CONNECT")
        return nil
    }

    /// Returns the maker's ECU that a request of this service reaches, if any.
    private func sideECU(_ service: UInt8?, on bus: BusProtocol, _ vehicle: SimulatedVehicle) -> SideECU? {
        self.settings.requestIdentifier(on: bus).flatMap {
            vehicle.sideECU($0, extendedAddress: self.settings.extendedAddress, service: service)
        }
    }

    /// Returns the payload of a request without its framing; nil if no ECU can read it.
    private func payload(of request: AdapterRequest, on bus: BusProtocol, _ vehicle: SimulatedVehicle) -> [UInt8]? {
        let service = self.settings.formatting ? request.bytes.first : request.bytes.dropFirst().first
        guard self.settings.extendedAddress == nil || self.sideECU(service, on: bus, vehicle) != nil else { return nil }
        guard bus.isCAN, !self.settings.formatting else {
            let isLong = self.options.dropsFurtherPIDs && request.bytes.first == 0x01
            return isLong ? Array(request.bytes.prefix(2)) : request.bytes
        }
        guard let control = request.bytes.first, control > 0, control < 8 else { return nil }
        let payload = request.bytes.dropFirst().prefix(Int(control))
        return payload.count == Int(control) ? Array(payload) : nil
    }

    /// Sends `payload` to the vehicle, and returns the frames of the replies.
    private mutating func ask(
        _ payload: [UInt8],
        at time: MonotonicTime,
        _ bus: BusProtocol,
        _ vehicle: inout SimulatedVehicle,
        negative fault: InjectedFault? = nil
    ) -> [BusFrame] {
        guard bus == vehicle.bus else { return [] }
        if let ecu = self.sideECU(payload.first, on: bus, vehicle) {
            vehicle.requestReceived(payload, at: time)
            let message = vehicle.reply(of: ecu, to: payload, at: time + SideECU.latency)
            return message.map { BusFrame.frames(of: $0, from: ecu, on: bus, at: time, self.settings) } ?? []
        }
        guard let target = self.settings.target(on: bus) else { return [] }
        var replies = vehicle.replies(to: payload, target: target, at: time)
        if case .negative(let code) = fault, let service = payload.first {
            let ecus = Set(replies.map(\.ecu)).union([.engine])
            replies = ecus.map { ECUMessage(ecu: $0, delay: vehicle.latency(of: $0), message: [0x7F, service, code]) }
        }
        let padding = self.misbehavior.has(31) ? 0xAA : vehicle.padding
        let gap =
            self.misbehavior.has(35) ? .milliseconds(8) : max(self.settings.separation, vehicle.options.separation)
        return self.misbehavior.corrupt(replies, to: payload).flatMap { reply in
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
}

extension SelectedProtocol {
    /// The chosen OBD-II bus, if any.
    var bus: BusProtocol? { BusProtocol(rawValue: self.number) }
}

extension BusProtocol {
    /// Whether the bus is CAN, including J1939.
    fileprivate var isOnCAN: Bool { self.isCAN || self == .j1939 }

    /// Whether the bit rate is 500 kbit/s.
    fileprivate var isFast: Bool { self == .can11at500 || self == .can29at500 }

    /// The time for which an adapter tries the bus.
    ///
    /// An initialization at 5 bit/s takes longest.
    fileprivate var searchTime: Duration {
        switch self {
        case .iso9141, .kwp5Baud: .milliseconds(2500)
        case .kwpFast: .milliseconds(400)
        case .j1850PWM, .j1850VPW: .milliseconds(220)
        default: .milliseconds(150)
        }
    }
}
