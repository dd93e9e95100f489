// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import ELM327
package import Timing

/// An ELM327: bytes and times in, bytes and times out.
///
/// It has the line discipline, the commands and the timing of a real one, for a ``SimulatedVehicle`` on the other side.
/// What it will say is settled when a request comes in, and leaves at its time with ``output(at:)``.
package struct SimulatedAdapter: Sendable {
    /// What kind of adapter it is.
    package struct Options: Sendable {
        /// What `AT Z` and `AT I` print.
        package var version = "ELM327 v1.5"
        /// Bits a second of the serial line behind the adapter, none for one that takes no time.
        package var baudRate: Int?
        /// How long `AT Z` takes.
        package var resetTime = Duration.milliseconds(500)

        package init() {}
    }

    /// What the adapter is busy with, until when.
    private enum Work: Sendable {
        /// A request, or monitoring with no end: the next byte stops it.
        case interruptible(until: MonotonicTime?)
        /// A reset: bytes are lost.
        case deaf(until: MonotonicTime)
        /// Low power: the next byte wakes it.
        case asleep
    }

    /// The longest command line.
    private static let lineLimit = 255
    /// How long an unfinished line may rest.
    private static let lineTimeout = Duration.seconds(20)
    private static let processing = Duration.milliseconds(1)

    let options: Options
    var settings = AdapterSettings()
    var choice = ProtocolChoice()
    /// What survives `AT Z`.
    private var stored = ProtocolChoice()
    var connection: BusConnection = .closed
    /// The longest that an ECU took lately to answer.
    var learned: Duration?
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
        self.queue = OutputQueue(baudRate: options.baudRate)
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
        for byte in bytes where byte != 0 && !self.isDisconnected {
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
            return
        case .asleep:
            self.restart(at: time, taking: .milliseconds(100))
            return
        case .deaf, .interruptible, nil:
            self.work = nil
        }
        if byte == UInt8(ascii: "\r") {
            if self.settings.echo { self.queue.append(self.lineEnd, at: time) }
            self.finishLine(at: time, &vehicle)
        } else if byte >= 0x20 {
            if self.settings.echo { self.queue.append([byte], at: time) }
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
        let time = time + Self.processing
        guard !isTooLong else { return self.say(["?"], at: time) }
        // A lone CR repeats the last command.
        if !line.isEmpty { self.lastCommand = line }
        guard !self.lastCommand.isEmpty else { return self.say([], at: time) }
        let text = String(decoding: self.lastCommand, as: UTF8.self).uppercased()
        if text.hasPrefix("AT") {
            guard let command = AdapterCommand(text.dropFirst(2)) else { return self.say(["?"], at: time) }
            self.perform(command, at: time, &vehicle)
        } else if let request = AdapterRequest(text, settings: self.settings) {
            self.perform(request, at: time, &vehicle)
        } else {
            self.say(["?"], at: time)
        }
    }

    private var lineEnd: [UInt8] { self.settings.linefeeds ? [0x0D, 0x0A] : [0x0D] }

    /// Sends `lines` and a prompt.
    private mutating func say(_ lines: [String], at time: MonotonicTime) {
        let text = lines.flatMap { Array($0.utf8) + self.lineEnd } + self.lineEnd + [UInt8(ascii: ">")]
        self.queue.append(text, at: time)
    }

    private mutating func restart(at time: MonotonicTime, taking duration: Duration) {
        self.settings = AdapterSettings()
        self.choice = self.stored
        self.connection = .closed
        self.learned = nil
        self.lastCommand = []
        self.work = .deaf(until: time + duration)
        self.queue.append(self.lineEnd + self.lineEnd, at: time + duration)
        self.say([self.options.version], at: time + duration)
    }
}

// MARK: - Requests

extension SimulatedAdapter {
    private mutating func perform(
        _ request: AdapterRequest,
        at time: MonotonicTime,
        _ vehicle: inout SimulatedVehicle
    ) {
        let fault = self.faults.isEmpty ? nil : self.faults.removeFirst()
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
        self.send(exchange, slowly: fault == .slowBytes)
        if fault == .lowVoltageReset {
            self.settings = AdapterSettings()
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
        if exchange.prompts {
            end = self.append(self.lineEnd + [UInt8(ascii: ">")], at: max(end, exchange.end), slowly: slowly)
        }
        self.work = .interruptible(until: end)
    }

    private mutating func append(_ bytes: [UInt8], at time: MonotonicTime, slowly: Bool) -> MonotonicTime {
        guard slowly else { return self.queue.append(bytes, at: time) }
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
        case .reset: self.restart(at: time, taking: self.options.resetTime)
        case .warmStart: self.restart(at: time, taking: .milliseconds(50))
        case .identify: self.say([self.options.version], at: time)
        case .describe: self.say(["OBDII to RS232 Interpreter"], at: time)
        case .protocolTitle: self.say([self.choice.title], at: time)
        case .protocolNumber: self.say([self.choice.code], at: time)
        case .voltage: self.say([Self.volts(vehicle.state(at: time).voltage)], at: time)
        case .ignition: self.say([vehicle.state(at: time).ignition ? "ON" : "OFF"], at: time)
        case .keyWords:
            let words = self.connection.bus.map { $0 == .iso9141 ? "1:08 2:08" : $0.isKLine ? "1:8F 2:E9" : "?" }
            self.say([words ?? "?"], at: time)
        case .monitor:
            // Behind a gateway, the bus at the connector is quiet until somebody asks.
            self.work = .interruptible(until: nil)
        case .lowPower:
            self.say(["OK"], at: time)
            self.work = .asleep
        case .initialise(let bypass):
            guard let bus = self.choice.bus, bus.isKLine else { return self.say(["?"], at: time) }
            if bypass {
                self.connection = .open(bus)
                return self.say(["OK"], at: time)
            }
            var exchange = Exchange(at: time)
            self.connection = .closed
            _ = self.connect(&exchange, vehicle)
            self.send(exchange, slowly: false)
        case .flowControlMode(let mode):
            let isReady = mode == 0 || self.settings.flowControlData && (mode == 2 || self.settings.flowControlHeader)
            self.say([isReady ? "OK" : "?"], at: time)
        default:
            self.apply(command)
            self.say(["OK"], at: time)
        }
    }

    /// Performs a command that only changes a setting.
    private mutating func apply(_ command: AdapterCommand) {
        switch command {
        case .defaults:
            self.settings = AdapterSettings()
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
        case .flowControlData: self.settings.flowControlData = true
        case .timeout(let timeout): self.settings.timeout = timeout
        case .adaptive(let mode): self.settings.adaptive = mode
        case .toggle(let toggle, let value): self.settings.set(toggle, value)
        default: break
        }
    }

    private static func volts(_ value: Double) -> String {
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
        }
    }
}
