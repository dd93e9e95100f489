// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
internal import ELM327

/// A simulated ELM327 for a ``SimulatedVehicle``: bytes with their times in, bytes with their times out.
///
/// Line discipline, commands and timing are those of a real adapter. The reply is computed when the request comes in,
/// and leaves at its time with ``output(at:)``.
package struct SimulatedAdapter: Sendable {
    /// The present activity of the adapter, and its end.
    private enum Work: Sendable {
        /// A request, or monitoring (without an end). The next byte from the client stops it.
        case interruptible(until: MonotonicTime?)
        /// A reset. Bytes from the client are lost.
        case resetting(until: MonotonicTime)
        /// Low power mode. The next byte from the client wakes the adapter.
        case asleep
        /// Frozen without an end.
        case frozen
    }

    let options: Options
    var settings: AdapterSettings
    var misbehavior: Misbehavior
    var choice = SelectedProtocol()
    /// The choice that survives `AT Z`.
    private var storedChoice = SelectedProtocol()
    var connection: BusSelection = .closed
    /// The longest recent latency of an ECU.
    var learnedLatency: Duration?
    /// The frames that were still on their way when the adapter stopped waiting.
    var lateFrames: [BusFrame] = []
    var faults: [InjectedFault] = []
    private var queue: OutputQueue
    private var work: Work?
    private var line = CommandLineBuffer()
    /// Whether the link is broken: no byte goes in or out any more.
    package private(set) var isDisconnected = false

    package init(_ options: Options = Options()) {
        self.options = options
        self.misbehavior = Misbehavior(options)
        self.settings = AdapterSettings(self.misbehavior)
        self.queue = OutputQueue(baudRate: options.baudRate ?? options.link?.baudRate)
    }

    /// Injects `fault` into the next `count` requests, after the faults that were injected before.
    package mutating func inject(_ fault: InjectedFault, requests count: Int = 1) {
        self.faults += [InjectedFault](repeating: fault, count: max(0, min(count, 10_000 - self.faults.count)))
    }

    /// Drops the faults that have not occurred yet.
    package mutating func clearFaults() {
        self.faults = []
    }

    /// The link is back; the adapter had power all the time, so it has the settings that it had.
    mutating func linkReturned() {
        self.isDisconnected = false
        self.queue.removeAll()
        self.line.forget()
    }

    /// The time at which ``output(at:)`` has bytes next, provided that the client sends nothing before.
    package var nextOutput: MonotonicTime? {
        guard let expires = self.line.expires else { return self.queue.next }
        return self.queue.next.map { min($0, expires) } ?? expires
    }

    /// Returns the bytes that have left the adapter until `time`, and removes them.
    package mutating func output(at time: MonotonicTime) -> [UInt8] {
        self.expireLine(at: time)
        return self.queue.take(at: time)
    }

    /// Takes `bytes` that the client sent at `time`.
    package mutating func bytesReceived(_ bytes: [UInt8], at time: MonotonicTime, in vehicle: inout SimulatedVehicle) {
        for (index, byte) in bytes.enumerated() where byte != 0 && !self.isDisconnected {
            guard !self.misbehavior.losesByte(index, at: time) else { continue }
            self.enqueue(self.misbehavior.takeWithheldPrompt(), at: time)
            self.receive(byte, at: time, &vehicle)
        }
    }

    private mutating func receive(_ byte: UInt8, at time: MonotonicTime, _ vehicle: inout SimulatedVehicle) {
        self.expireLine(at: time)
        switch self.work {
        case .resetting(let end) where end > time:
            return
        case .interruptible(let end) where end.map({ $0 > time }) ?? true:
            self.queue.cancel(after: time)
            self.work = nil
            self.sendReply(["STOPPED"], at: time)
            if let stoppedReply = self.misbehavior.takeStoppedReply() {
                self.enqueue(stoppedReply, at: time + .milliseconds(100))
            }
            return
        case .frozen:
            return
        case .asleep:
            self.restart(at: time, taking: .milliseconds(100))
            return
        case .resetting, .interruptible, nil:
            self.work = nil
        }
        if byte == UInt8(ascii: "\r") {
            if self.settings.echo { self.enqueue(self.lineEnd, at: time) }
            self.finishLine(at: time, &vehicle)
        } else if byte >= 0x20 {
            if self.settings.echo { self.enqueue([byte], at: time) }
            self.line.append(byte, at: time)
        }
    }

    /// Drops an unfinished line after its timeout.
    private mutating func expireLine(at time: MonotonicTime) {
        guard let expires = self.line.expires, expires <= time else { return }
        self.line.drop()
        self.sendReply(["?"], at: expires)
    }

    private mutating func finishLine(at time: MonotonicTime, _ vehicle: inout SimulatedVehicle) {
        if self.faults.first == .silence {
            self.line.drop()
            self.faults.removeFirst()
            return
        }
        let time = time + (self.options.link == nil ? .milliseconds(1) : .microseconds(500))
        // A lone CR repeats the last command.
        guard let text = self.line.finish() else { return self.sendReply(["?"], at: time) }
        guard !text.isEmpty else { return self.sendReply([], at: time) }
        if text.hasPrefix("ST"), let answer = self.answer(toSTN: text) {
            self.sendReply([answer], at: time)
            if text == "STSLEEP", answer == "OK" { self.work = .asleep }
        } else if text.hasPrefix("AT") {
            let volts = vehicle.state(at: time).voltage
            if let substitute = self.misbehavior.substitute(for: String(text.dropFirst(2)), volts: volts) {
                return self.perform(substitute, text, at: time)
            }
            guard let command = ATCommand(text.dropFirst(2)) else { return self.sendReply(["?"], at: time) }
            self.perform(command, at: time, &vehicle)
        } else if let request = AdapterRequest(text, settings: self.settings) {
            self.perform(request, at: time, &vehicle)
        } else {
            self.sendReply(["?"], at: time)
        }
    }

    private var lineEnd: [UInt8] {
        self.misbehavior.has(5) ? [0x0D, 0x0D, 0x0A] : self.settings.linefeeds ? [0x0D, 0x0A] : [0x0D]
    }

    /// Queues bytes for the client, in one piece or in several.
    ///
    /// - Returns: the time at which the last byte has left.
    @discardableResult
    private mutating func enqueue(_ bytes: [UInt8], at time: MonotonicTime) -> MonotonicTime {
        var end = time
        for (index, piece) in self.misbehavior.pieces(of: bytes).enumerated() {
            end = self.queue.append(piece, at: max(time, end) + .milliseconds(index == 0 ? 0 : 15))
        }
        return end
    }

    private mutating func perform(_ substitute: Misbehavior.Substitute, _ command: String, at time: MonotonicTime) {
        switch substitute {
        case .say(let lines):
            // The protocol is set, although the reply has additional text.
            if command.hasPrefix("ATSP"), let parsed = ATCommand(command.dropFirst(2)) { self.apply(parsed) }
            self.sendReply(lines, to: command, at: time)
        case .freeze:
            self.work = .frozen
        case .disconnect:
            self.isDisconnected = true
            self.queue.cancel(after: time)
        }
    }

    /// Returns the answer to an `ST` command; nil if the adapter has no STN chip.
    private func answer(toSTN text: String) -> String? {
        guard let firmware = self.options.firmware else { return nil }
        let hardware = self.options.hardware ?? firmware
        return ["STI": firmware, "STDI": hardware, "STSLUOFF,ON": "OK", "STSLEEP": "OK"][text] ?? "?"
    }

    /// Sends `lines` and a prompt to the client.
    private mutating func sendReply(_ lines: [String], to command: String = "", at time: MonotonicTime) {
        self.enqueue(self.misbehavior.reply(lines, lineEnd: self.lineEnd, to: command), at: time)
    }

    private mutating func restart(at time: MonotonicTime, taking duration: Duration, replyingTo command: String = "") {
        self.settings = AdapterSettings(self.misbehavior)
        self.misbehavior.adapterRestarted()
        self.choice = self.storedChoice
        self.connection = .closed
        self.learnedLatency = nil
        self.line.forget()
        self.work = .resetting(until: time + duration)
        self.enqueue(self.lineEnd + self.lineEnd, at: time + duration)
        if self.misbehavior.has(27) {
            self.enqueue(Array("+CONNECTING<<00:0D:18:00:00:01\r".utf8), at: time + duration)
        }
        if self.misbehavior.has(3) { self.enqueue(Array("ATZ".utf8) + [0xFC], at: time + duration) }
        self.sendReply([self.options.version], to: command, at: time + duration)
    }
}

// MARK: - Requests

extension SimulatedAdapter {
    private mutating func perform(
        _ request: AdapterRequest,
        at time: MonotonicTime,
        _ vehicle: inout SimulatedVehicle
    ) {
        vehicle.requestSent(at: time)
        let fault = self.faults.isEmpty ? nil : self.faults.removeFirst()
        if let substitute = self.misbehavior.requestStarted(request.bytes) {
            return self.perform(substitute, "", at: time)
        }
        if fault == .disconnect {
            self.isDisconnected = true
            self.queue.cancel(after: time)
            return
        }
        let connected = self.connection
        var exchange = PrintedReply(at: time)
        self.run(request, fault, &exchange, &vehicle)
        if self.connection != connected, let found = self.connection.bus, self.choice.automatic {
            self.choice.number = found.rawValue
            if self.settings.memory { self.storedChoice = self.choice }
        }
        exchange.apply(fault)
        self.misbehavior.corrupt(&exchange)
        self.send(exchange, slowly: fault == .slowBytes)
        if fault == .lowVoltageReset || self.misbehavior.losesSettings {
            self.settings = AdapterSettings(self.misbehavior)
            self.choice = self.storedChoice
            self.connection = .closed
        }
    }

    private mutating func send(_ exchange: PrintedReply, slowly: Bool) {
        var end = exchange.end
        for piece in exchange.pieces {
            let bytes = piece.bytes + (piece.endsLine ? self.lineEnd : [])
            // The output buffer of a real adapter has 512 bytes.
            guard self.queue.backlog(at: piece.time) + bytes.count <= 512 else {
                end = max(end, self.queue.append(Array("BUFFER FULL".utf8) + self.lineEnd, at: piece.time))
                break
            }
            end = max(end, self.append(bytes, at: slowly ? max(end, piece.time) : piece.time, slowly: slowly))
        }
        if exchange.hasPrompt && !exchange.isEndless {
            end = self.append(self.lineEnd + [UInt8(ascii: ">")], at: max(end, exchange.end), slowly: slowly)
        }
        self.work = .interruptible(until: exchange.isEndless ? nil : end)
        if let late = self.misbehavior.lateReply { self.enqueue(late, at: end + .milliseconds(150)) }
    }

    private mutating func append(_ bytes: [UInt8], at time: MonotonicTime, slowly: Bool) -> MonotonicTime {
        guard slowly else { return self.enqueue(bytes, at: time) }
        var time = time
        for byte in bytes { time = self.queue.append([byte], at: time + .milliseconds(20)) }
        return time
    }
}

// MARK: - Commands

extension SimulatedAdapter {
    private mutating func perform(
        _ command: ATCommand,
        at time: MonotonicTime,
        _ vehicle: inout SimulatedVehicle
    ) {
        switch command {
        case .reset where self.options.neverAnswersReset: return
        case .reset: self.restart(at: time, taking: self.options.resetTime, replyingTo: "ATZ")
        case .warmStart: self.restart(at: time, taking: .milliseconds(50))
        case .identify: self.sendReply([self.options.version], at: time)
        case .describe: self.sendReply(["OBDII to RS232 Interpreter"], at: time)
        case .protocolTitle: self.sendReply([self.choice.title], at: time)
        case .protocolNumber: self.sendReply([self.choice.code], at: time)
        case .voltage: self.sendReply([vehicle.state(at: time).printedVoltage], to: "ATRV", at: time)
        case .ignition: self.sendReply([vehicle.state(at: time).ignition ? "ON" : "OFF"], at: time)
        case .keyWords:
            let words = self.connection.bus.map { $0 == .iso9141 ? "1:08 2:08" : $0.isKLine ? "1:8F 2:E9" : "?" }
            self.sendReply([words ?? "?"], at: time)
        case .monitor:
            // Behind a gateway, the bus at the connector carries no traffic but answers to requests.
            self.work = .interruptible(until: nil)
        case .monitorGroup(let group, let count):
            guard self.choice.bus == .j1939 else { return self.sendReply(["?"], at: time) }
            self.perform(AdapterRequest(listeningTo: group, count: count), at: time, &vehicle)
        case .lowPower:
            self.sendReply(["OK"], at: time)
            self.work = .asleep
        case .initialize(let bypass):
            guard let bus = self.choice.bus, bus.isKLine else { return self.sendReply(["?"], at: time) }
            if bypass {
                self.connection = .open(bus)
                return self.sendReply(["OK"], at: time)
            }
            vehicle.requestSent(at: time)
            var exchange = PrintedReply(at: time)
            self.connection = .closed
            _ = self.connect(&exchange, vehicle)
            self.send(exchange, slowly: false)
        case .flowControlMode(let mode):
            let hasData = !self.settings.flowControlData.isEmpty
            let isReady = mode == 0 || hasData && (mode == 2 || self.settings.flowControlHeader != nil)
            if isReady { self.settings.flowControlMode = mode }
            self.sendReply([isReady ? "OK" : "?"], at: time)
        case .constant(let text):
            self.sendReply([text], at: time)
        default:
            self.apply(command)
            self.sendReply(["OK"], to: command == .toggle(.echo, false) ? "ATE0" : "", at: time)
        }
    }

    /// Applies a command that only changes a setting.
    private mutating func apply(_ command: ATCommand) {
        switch command {
        case .defaults:
            self.settings = AdapterSettings(self.misbehavior)
            self.choice = self.storedChoice
            self.connection = .closed
        case .chooseProtocol(let choice, let store):
            self.choice = choice
            if store { self.storedChoice = choice }
            self.connection = .closed
            self.learnedLatency = nil
        case .closeProtocol: self.connection = .closed
        default: self.settings.apply(command)
        }
    }
}

extension AdapterSettings {
    /// Creates the default settings of an adapter with its quirks.
    fileprivate init(_ misbehavior: Misbehavior) {
        self.flowControl = !misbehavior.has(34)
        self.joinsIdentifier = misbehavior.has(29)
    }
}
