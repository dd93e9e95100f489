// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import ELM327
package import Base

/// An ELM327: bytes and times in, bytes and times out.
///
/// It has the line discipline, the commands and the timing of a real one, for a ``SimulatedVehicle`` on the other side.
/// What it will say is settled when a request comes in, and leaves at its time with ``output(at:)``.
package struct SimulatedAdapter: Sendable {
    /// What the adapter is busy with, until when.
    private enum Work: Sendable {
        /// A request, or monitoring with no end: the next byte stops it.
        case interruptible(until: MonotonicTime?)
        /// A reset: bytes are lost.
        case deaf(until: MonotonicTime)
        /// Low power: the next byte wakes it.
        case asleep
        /// For ever.
        case frozen
    }

    /// The longest command line.
    private static let lineLimit = 255
    /// How long an unfinished line may rest.
    private static let lineTimeout = Duration.seconds(20)

    let options: Options
    var settings: AdapterSettings
    var misbehaviour: Misbehaviour
    var choice = ProtocolChoice()
    /// What survives `AT Z`.
    private var stored = ProtocolChoice()
    var connection: BusConnection = .closed
    /// The longest that an ECU took lately to answer.
    var learned: Duration?
    /// What was still on its way on the bus when the adapter had all that it waited for.
    var unheard: [BusFrame] = []
    var faults: [Fault] = []
    private var queue: OutputQueue
    private var work: Work?
    private var line: [UInt8] = []
    private var lineIsTooLong = false
    private var lineExpires: MonotonicTime?
    private var lastCommand: [UInt8] = []
    /// The link is broken by ``Fault/disconnect``: nothing goes in or out any more.
    package private(set) var isDisconnected = false

    package init(_ options: Options = Options()) {
        self.options = options
        self.misbehaviour = Misbehaviour(options)
        self.settings = AdapterSettings(self.misbehaviour)
        self.queue = OutputQueue(baudRate: options.baudRate ?? options.link?.baudRate)
    }

    /// Makes the next `count` requests suffer `fault`, after those that faults were injected for already.
    package mutating func inject(_ fault: Fault, requests count: Int = 1) {
        self.faults += [Fault](repeating: fault, count: max(0, min(count, 10_000 - self.faults.count)))
    }

    /// Forgets the faults that have not happened yet.
    package mutating func clearFaults() {
        self.faults = []
    }

    /// When ``output(at:)`` will have something next, if nothing comes in before.
    package var nextOutput: MonotonicTime? {
        guard let expires = self.lineExpires else { return self.queue.next }
        return self.queue.next.map { min($0, expires) } ?? expires
    }

    /// What the adapter has sent until `time`, empty if nothing.
    package mutating func output(at time: MonotonicTime) -> [UInt8] {
        self.expireLine(at: time)
        return self.queue.take(at: time)
    }

    /// The client sent `bytes`.
    package mutating func received(_ bytes: [UInt8], at time: MonotonicTime, by vehicle: inout SimulatedVehicle) {
        for (index, byte) in bytes.enumerated() where byte != 0 && !self.isDisconnected {
            guard !self.misbehaviour.loses(index, at: time) else { continue }
            self.put(self.misbehaviour.payPrompt(), at: time)
            self.receive(byte, at: time, &vehicle)
        }
    }

    private mutating func receive(_ byte: UInt8, at time: MonotonicTime, _ vehicle: inout SimulatedVehicle) {
        self.expireLine(at: time)
        switch self.work {
        case .deaf(let end) where end > time:
            return
        case .interruptible(let end) where end.map({ $0 > time }) ?? true:
            self.queue.cancel(after: time)
            self.work = nil
            self.say(["STOPPED"], at: time)
            if let stalled = self.misbehaviour.takeStalled() { self.put(stalled, at: time + .milliseconds(100)) }
            return
        case .frozen:
            return
        case .asleep:
            self.restart(at: time, taking: .milliseconds(100))
            return
        case .deaf, .interruptible, nil:
            self.work = nil
        }
        if byte == UInt8(ascii: "\r") {
            if self.settings.echo { self.put(self.lineEnd, at: time) }
            self.finishLine(at: time, &vehicle)
        } else if byte >= 0x20 {
            if self.settings.echo { self.put([byte], at: time) }
            self.lineExpires = time + Self.lineTimeout
            guard byte != UInt8(ascii: " ") else { return }
            self.lineIsTooLong = self.lineIsTooLong || self.line.count == Self.lineLimit
            if !self.lineIsTooLong { self.line.append(byte) }
        }
    }

    /// An unfinished line is given up after a while.
    private mutating func expireLine(at time: MonotonicTime) {
        guard let expires = self.lineExpires, expires <= time else { return }
        self.dropLine()
        self.say(["?"], at: expires)
    }

    private mutating func dropLine() {
        self.line = []
        self.lineIsTooLong = false
        self.lineExpires = nil
    }

    private mutating func finishLine(at time: MonotonicTime, _ vehicle: inout SimulatedVehicle) {
        let line = self.line
        let isTooLong = self.lineIsTooLong
        self.dropLine()
        if self.faults.first == .silence {
            self.faults.removeFirst()
            return
        }
        let time = time + (self.options.link == nil ? .milliseconds(1) : .microseconds(500))
        guard !isTooLong else { return self.say(["?"], at: time) }
        // A lone CR repeats the last command.
        if !line.isEmpty { self.lastCommand = line }
        guard !self.lastCommand.isEmpty else { return self.say([], at: time) }
        let text = String(decoding: self.lastCommand, as: UTF8.self).uppercased()
        if text.hasPrefix("ST"), let answer = self.answer(toSTN: text) {
            self.say([answer], at: time)
            if text == "STSLEEP", answer == "OK" { self.work = .asleep }
        } else if text.hasPrefix("AT") {
            let volts = vehicle.state(at: time).voltage
            if let instead = self.misbehaviour.instead(of: String(text.dropFirst(2)), volts: volts) {
                return self.perform(instead, text, at: time)
            }
            guard let command = AdapterCommand(text.dropFirst(2)) else { return self.say(["?"], at: time) }
            self.perform(command, at: time, &vehicle)
        } else if let request = AdapterRequest(text, settings: self.settings) {
            self.perform(request, at: time, &vehicle)
        } else {
            self.say(["?"], at: time)
        }
    }

    private var lineEnd: [UInt8] {
        self.misbehaviour.has(5) ? [0x0D, 0x0D, 0x0A] : self.settings.linefeeds ? [0x0D, 0x0A] : [0x0D]
    }

    /// Sends bytes as they are, or in pieces.
    ///
    /// - Returns: when they have left.
    @discardableResult
    private mutating func put(_ bytes: [UInt8], at time: MonotonicTime) -> MonotonicTime {
        var end = time
        for (index, piece) in self.misbehaviour.pieces(of: bytes).enumerated() {
            end = self.queue.append(piece, at: max(time, end) + .milliseconds(index == 0 ? 0 : 15))
        }
        return end
    }

    private mutating func perform(_ instead: Misbehaviour.Instead, _ command: String, at time: MonotonicTime) {
        switch instead {
        case .say(let lines):
            // The setting of a protocol takes effect, whatever is said about it.
            if command.hasPrefix("ATSP"), let parsed = AdapterCommand(command.dropFirst(2)) { self.apply(parsed) }
            self.say(lines, to: command, at: time)
        case .freeze:
            self.work = .frozen
        case .disconnect:
            self.isDisconnected = true
            self.queue.cancel(after: time)
        }
    }

    /// The answer of an STN chip to a command of its own.
    private func answer(toSTN text: String) -> String? {
        guard let firmware = self.options.firmware else { return nil }
        let hardware = self.options.hardware ?? firmware
        return ["STI": firmware, "STDI": hardware, "STSLUOFF,ON": "OK", "STSLEEP": "OK"][text] ?? "?"
    }

    /// Sends `lines` and a prompt.
    private mutating func say(_ lines: [String], to command: String = "", at time: MonotonicTime) {
        self.put(self.misbehaviour.reply(lines, lineEnd: self.lineEnd, to: command), at: time)
    }

    private mutating func restart(at time: MonotonicTime, taking duration: Duration, says command: String = "") {
        self.settings = AdapterSettings(self.misbehaviour)
        self.misbehaviour.restarted()
        self.choice = self.stored
        self.connection = .closed
        self.learned = nil
        self.lastCommand = []
        self.work = .deaf(until: time + duration)
        self.put(self.lineEnd + self.lineEnd, at: time + duration)
        if self.misbehaviour.has(27) { self.put(Array("+CONNECTING<<00:0D:18:00:00:01\r".utf8), at: time + duration) }
        if self.misbehaviour.has(3) { self.put(Array("ATZ".utf8) + [0xFC], at: time + duration) }
        self.say([self.options.version], to: command, at: time + duration)
    }
}

// MARK: - Requests

extension SimulatedAdapter {
    private mutating func perform(
        _ request: AdapterRequest,
        at time: MonotonicTime,
        _ vehicle: inout SimulatedVehicle
    ) {
        vehicle.wasAsked(at: time)
        let fault = self.faults.isEmpty ? nil : self.faults.removeFirst()
        if let instead = self.misbehaviour.begin(request.bytes) { return self.perform(instead, "", at: time) }
        if fault == .disconnect {
            self.isDisconnected = true
            self.queue.cancel(after: time)
            return
        }
        let connected = self.connection
        var exchange = Exchange(at: time)
        self.run(request, fault, &exchange, &vehicle)
        if self.connection != connected, let found = self.connection.bus, self.choice.automatic {
            self.choice.number = found.rawValue
            if self.settings.memory { self.stored = self.choice }
        }
        exchange.suffer(fault)
        self.misbehaviour.spoil(&exchange)
        self.send(exchange, slowly: fault == .slowBytes)
        if fault == .lowVoltageReset || self.misbehaviour.losesSettings {
            self.settings = AdapterSettings(self.misbehaviour)
            self.choice = self.stored
            self.connection = .closed
        }
    }

    private mutating func send(_ exchange: Exchange, slowly: Bool) {
        var end = exchange.end
        for piece in exchange.pieces {
            let bytes = piece.bytes + (piece.endsLine ? self.lineEnd : [])
            // A real one keeps 512 bytes for what the serial line has not taken yet.
            guard self.queue.backlog(at: piece.time) + bytes.count <= 512 else {
                end = max(end, self.queue.append(Array("BUFFER FULL".utf8) + self.lineEnd, at: piece.time))
                break
            }
            end = max(end, self.append(bytes, at: slowly ? max(end, piece.time) : piece.time, slowly: slowly))
        }
        if exchange.prompts && !exchange.isEndless {
            end = self.append(self.lineEnd + [UInt8(ascii: ">")], at: max(end, exchange.end), slowly: slowly)
        }
        self.work = .interruptible(until: exchange.isEndless ? nil : end)
        if let late = self.misbehaviour.late { self.put(late, at: end + .milliseconds(150)) }
    }

    private mutating func append(_ bytes: [UInt8], at time: MonotonicTime, slowly: Bool) -> MonotonicTime {
        guard slowly else { return self.put(bytes, at: time) }
        var time = time
        for byte in bytes { time = self.queue.append([byte], at: time + .milliseconds(20)) }
        return time
    }
}

// MARK: - Commands

extension SimulatedAdapter {
    private mutating func perform(
        _ command: AdapterCommand,
        at time: MonotonicTime,
        _ vehicle: inout SimulatedVehicle
    ) {
        switch command {
        case .reset where self.options.neverAnswersReset: return
        case .reset: self.restart(at: time, taking: self.options.resetTime, says: "ATZ")
        case .warmStart: self.restart(at: time, taking: .milliseconds(50))
        case .identify: self.say([self.options.version], at: time)
        case .describe: self.say(["OBDII to RS232 Interpreter"], at: time)
        case .protocolTitle: self.say([self.choice.title], at: time)
        case .protocolNumber: self.say([self.choice.code], at: time)
        case .voltage: self.say([Self.volts(vehicle.state(at: time).voltage)], to: "ATRV", at: time)
        case .ignition: self.say([vehicle.state(at: time).ignition ? "ON" : "OFF"], at: time)
        case .keyWords:
            let words = self.connection.bus.map { $0 == .iso9141 ? "1:08 2:08" : $0.isKLine ? "1:8F 2:E9" : "?" }
            self.say([words ?? "?"], at: time)
        case .monitor:
            // Behind a gateway, the bus at the connector is quiet until somebody asks.
            self.work = .interruptible(until: nil)
        case .monitorGroup(let group, let count):
            guard self.choice.bus == .j1939 else { return self.say(["?"], at: time) }
            self.perform(AdapterRequest(listeningTo: group, count: count), at: time, &vehicle)
        case .lowPower:
            self.say(["OK"], at: time)
            self.work = .asleep
        case .initialise(let bypass):
            guard let bus = self.choice.bus, bus.isKLine else { return self.say(["?"], at: time) }
            if bypass {
                self.connection = .open(bus)
                return self.say(["OK"], at: time)
            }
            vehicle.wasAsked(at: time)
            var exchange = Exchange(at: time)
            self.connection = .closed
            _ = self.connect(&exchange, vehicle)
            self.send(exchange, slowly: false)
        case .flowControlMode(let mode):
            let hasData = !self.settings.flowControlData.isEmpty
            let isReady = mode == 0 || hasData && (mode == 2 || self.settings.flowControlHeader)
            if isReady { self.settings.flowControlMode = mode }
            self.say([isReady ? "OK" : "?"], at: time)
        case .tell(let text):
            self.say([text], at: time)
        default:
            self.apply(command)
            self.say(["OK"], to: command == .toggle(.echo, false) ? "ATE0" : "", at: time)
        }
    }

    /// Performs a command that only changes a setting.
    private mutating func apply(_ command: AdapterCommand) {
        switch command {
        case .defaults:
            self.settings = AdapterSettings(self.misbehaviour)
            self.choice = self.stored
            self.connection = .closed
        case .chooseProtocol(let choice, let store):
            self.choice = choice
            if store { self.stored = choice }
            self.connection = .closed
            self.learned = nil
        case .closeProtocol: self.connection = .closed
        case .header(let header): self.settings.header = header
        case .priority(let priority): self.settings.priority = priority
        case .receiveAddress(let address):
            self.settings.receiveAddress = address
            if address == nil {
                self.settings.filter = nil
                self.settings.mask = nil
            }
        case .filter(let filter): self.settings.filter = filter
        case .mask(let mask): self.settings.mask = mask
        case .extendedAddress(let address): self.settings.extendedAddress = address
        case .flowControlHeader: self.settings.flowControlHeader = true
        case .flowControlData(let data): self.settings.flowControlData = data
        case .timeout(let timeout): self.settings.timeout = timeout
        case .adaptive(let mode): self.settings.adaptive = mode
        case .toggle(let toggle, let value): self.settings.set(toggle, value)
        default: break
        }
    }

    static func volts(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)V"
    }
}

extension AdapterSettings {
    fileprivate mutating func set(_ toggle: AdapterCommand.Toggle, _ value: Bool) {
        switch toggle {
        case .echo: self.echo = value
        case .linefeeds: self.linefeeds = value
        case .spaces: self.spaces = value
        case .headers: self.headers = value
        case .lengthDigit: self.lengthDigit = value
        case .formatting: self.formatting = value
        case .flowControl: self.flowControl = value
        case .longMessages: self.longMessages = value
        case .responses: self.responses = value
        case .memory: self.memory = value
        case .formatsGroups: self.formatsGroups = value
        case .reversesGroups: self.reversesGroups = value
        }
    }
}

extension AdapterSettings {
    /// The defaults of an adapter with its quirks.
    fileprivate init(_ misbehaviour: Misbehaviour) {
        self.flowControl = !misbehaviour.has(34)
        self.joinsIdentifier = misbehaviour.has(29)
    }
}
