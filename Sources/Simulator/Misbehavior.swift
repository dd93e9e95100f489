// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base
internal import ELM327

/// The behavior of an adapter behind each number of ``Quirk``.
struct Misbehavior: Sendable {
    /// The faulty reaction that replaces the right one to a command or a request.
    enum Substitute: Hashable, Sendable {
        case say([String])
        case freeze
        case disconnect
    }

    /// Quirk 9: the pause after which the next byte is lost.
    private static let pauseBeforeLoss = Duration.seconds(1)
    /// Quirk 53: the time after which the adapter sleeps.
    private static let timeToSleep = Duration.seconds(1800)

    let quirks: Set<Int>
    private let missing: [String]
    private let ignored: [String]
    private var started: MonotonicTime?
    private var lastByte: MonotonicTime?
    private var voltageReadings = 0
    private var wasModuleMessageSent = false
    /// The number of requests, including ``request``.
    private var requests = 0
    private var request: [UInt8] = []
    private var previousRequest: [UInt8] = []
    private var isBusSilent = false
    /// Whether the prompt of the last reply was withheld.
    ///
    /// The withheld prompt is sent before the next reply.
    private(set) var isPromptWithheld = false
    /// The answer to a stopped request, which is sent nevertheless.
    private var stoppedReply: [UInt8]?
    /// The answer that is sent after the prompt of its request.
    private(set) var lateReply: [UInt8]?

    init(_ options: SimulatedAdapter.Options) {
        self.quirks = options.quirks
        self.missing =
            options.missing + (options.quirks.contains(10) ? Self.rejected : [])
            + (options.quirks.contains(13) ? Self.newerThan12 : [])
        var ignored = options.ignored
        for (quirk, names) in Self.withoutEffect where options.quirks.contains(quirk) { ignored += names }
        self.ignored = ignored
    }

    func has(_ quirk: Int) -> Bool { self.quirks.contains(quirk) }

    /// Quirk 10: the commands that the adapter rejects.
    private static let rejected = ["S0", "S1", "FC", "CEA", "CRA", "BD", "AMC", "CSM", "CTM", "CER", "CFC", "TPA6"]
    /// Quirk 13: the commands that are newer than v1.2.
    private static let newerThan12 = [
        "S0", "S1", "CRA", "CEA", "CSM", "FE", "SS", "IGN", "RD", "AMC", "AMT", "CTM", "CER", "D0", "D1", "KW",
    ]
    /// The commands that are accepted and have no effect, by quirk.
    private static let withoutEffect: [Int: [String]] = [
        2: ["E0"], 14: [""], 28: ["S0"], 29: ["S0"], 33: ["H1"],
    ]

    // MARK: - Input

    /// Whether the byte at `index` of a write is lost.
    mutating func losesByte(_ index: Int, at time: MonotonicTime) -> Bool {
        let start = self.started ?? time
        self.started = start
        let previous = self.lastByte ?? time
        self.lastByte = time
        if self.has(53), time - start > Self.timeToSleep { return true }
        if self.has(49), index >= 20 { return true }
        return self.has(9) && time - previous > Self.pauseBeforeLoss
    }

    /// Returns the faulty reaction to an `AT` command, and nil if the command is performed.
    ///
    /// - Parameter text: the command without `AT`.
    mutating func substitute(for text: String, volts: Double) -> Substitute? {
        switch text {
        case "Z" where self.has(16): return .disconnect
        case "Z" where self.has(19): return .say(["VENDOR OPTION/MODE"])
        case "I" where self.has(19): return .say(["YM1130"])
        case "TPA0" where self.has(11): return .freeze
        case "DPN" where self.has(17): return .say(["A0"])
        case "RV":
            self.voltageReadings += 1
            if self.has(43) { return .say(["ATRV", "0.0V"]) }
            if self.has(45), self.voltageReadings % 3 == 1 { return .say(["4.1V"]) }
            return self.has(44) ? .say([VehicleState.printedVoltage(volts + 0.7)]) : nil
        case "Z", "WS", "D", "I", "DP", "SP0": break
        default:
            if self.missing.contains(where: { text.hasPrefix($0) }) { return .say(["?"]) }
            if self.ignored.contains(where: { text.hasPrefix($0) }) { return .say(["OK"]) }
        }
        if self.has(12), text.hasPrefix("SP") { return .say(["AT \(text)", "OK \(text)"]) }
        return nil
    }

    /// Notes the start of a request.
    ///
    /// Returns the faulty reaction to it, and nil if it is performed.
    mutating func requestStarted(_ payload: [UInt8]) -> Substitute? {
        self.requests += 1
        self.previousRequest = self.request
        self.request = payload
        self.lateReply = nil
        return self.has(15) && self.requests.isMultiple(of: 5) ? .say(["?"]) : nil
    }

    /// Resets the state that a restart of the adapter clears.
    mutating func adapterRestarted() {
        self.isBusSilent = false
        self.stoppedReply = nil
    }

    // MARK: - The bus

    /// The previous request, if its answer comes before that to the present one.
    var lateRequest: [UInt8]? {
        guard self.has(40), self.requests.isMultiple(of: 7), !self.previousRequest.isEmpty else { return nil }
        return self.previousRequest == self.request ? nil : self.previousRequest
    }

    /// Returns the replies of the ECUs, corrupted by the quirks of bus and vehicle.
    mutating func corrupt(_ replies: [ECUMessage], to request: [UInt8]) -> [ECUMessage] {
        if self.has(41) {
            self.isBusSilent = self.isBusSilent || self.requests == 60
            guard !self.isBusSilent else { return [] }
            if self.requests.isMultiple(of: 9), let service = request.first {
                let codes: [UInt8] = [0x11, 0x12, 0x21, 0x22, 0x31, 0x78]
                let code = codes[self.requests / 9 % codes.count]
                return replies.map { ECUMessage(ecu: $0.ecu, delay: $0.delay, message: [0x7F, service, code]) }
            }
        }
        guard self.has(42), self.requests.isMultiple(of: 3), request.count == 2, request[0] == 0x01,
            request[1] != 0x01, !request[1].isMultiple(of: 0x20)
        else { return replies }
        return replies.map { reply in
            let ones = [UInt8](repeating: 0xFF, count: max(0, reply.message.count - 2))
            return ECUMessage(ecu: reply.ecu, delay: reply.delay, message: reply.message.prefix(2) + ones)
        }
    }

    // MARK: - Output

    /// Corrupts the printed reply to a request.
    mutating func corrupt(_ exchange: inout PrintedReply) {
        self.corruptProgress(&exchange)
        self.corruptData(&exchange)
        if self.has(27), !self.wasModuleMessageSent || self.requests.isMultiple(of: 25) {
            self.wasModuleMessageSent = true
            exchange.insert("+CONNECTING<<00:0D:18:00:00:01", at: 0)
        }
        if self.has(25), self.requests.isMultiple(of: 17) { self.fail(&exchange) }
        if self.has(26), self.requests.isMultiple(of: 60) { exchange.replace(with: ["LV RESET"]) }
        if self.has(7), self.requests.isMultiple(of: 20) {
            self.stoppedReply = exchange.pieces.flatMap { $0.bytes + [0x0D] } + Array("\r>".utf8)
            exchange.delay(by: .seconds(5))
        }
        if self.has(40), self.requests.isMultiple(of: 11), self.request != self.previousRequest {
            // The answer is sent after the prompt, when the client no longer expects it.
            self.lateReply = exchange.pieces.flatMap { $0.bytes + [0x0D] } + Array("\r>".utf8)
            exchange.replace(with: [])
        }
    }

    /// Whether the adapter loses its settings with the error that it just printed.
    var losesSettings: Bool {
        self.has(26) && self.requests.isMultiple(of: 60)
            || self.has(25) && self.requests.isMultiple(of: 17) && Self.errors[self.errorIndex].hasPrefix("ERR")
    }

    private static let errors = [
        "ERR93", "!LP ALERT", "ACT ALERT", "STOPPED", "BUFFER FULL", "CAN ERROR", "BUS ERROR", "FB ERROR", "DATA ERROR",
        "<RX ERROR", "<DATA ERROR",
    ]

    private var errorIndex: Int { self.requests / 17 % Self.errors.count }

    private func fail(_ exchange: inout PrintedReply) {
        let text = Self.errors[self.errorIndex]
        if text.contains("ALERT") {
            exchange.insert(text, at: 0)
        } else if text.hasPrefix("<") {
            exchange.mapData { $0 + Array(text.utf8) }
        } else if text == "BUFFER FULL" {
            exchange.cut(after: exchange.pieces.reduce(0) { $0 + $1.bytes.count } / 2)
        } else {
            exchange.replace(with: [text])
        }
    }

    private func corruptProgress(_ exchange: inout PrintedReply) {
        if self.has(20) { exchange.trickle("SEARCHING...", dots: 15) }
        if self.has(21) {
            exchange.rename("BUS INIT: ...", to: "BUSINIT...")
            exchange.rename("BUS INIT: ", to: "BUSINIT...")
        }
        if self.has(22) { exchange.glue("OK") }
        if self.has(23) { exchange.rename("UNABLE TO CONNECT", to: "NABLETO") }
        if self.has(24), exchange.rename("UNABLE TO CONNECT", to: "") {
            exchange.replace(with: [["CAN ERROR", "NO DATA", "BUS INIT: ERROR"][self.requests % 3]])
        }
    }

    private func corruptData(_ exchange: inout PrintedReply) {
        if self.has(30), self.requests.isMultiple(of: 6) {
            exchange.mapData { line in
                let digits = line.reversed().drop { $0 == UInt8(ascii: " ") }
                return Array(digits.dropFirst().reversed())
            }
        }
        if self.has(32), self.requests.isMultiple(of: 3) {
            if self.requests.isMultiple(of: 2) { exchange.join() } else { exchange.repeatData() }
        }
        if self.has(39), self.requests.isMultiple(of: 5) {
            exchange.mapData { line in
                var line = line
                let middle = line.count * 2 / 3
                let index = line[middle...].firstIndex { $0 != UInt8(ascii: " ") }
                if let index { line[index] = line[index] == UInt8(ascii: "3") ? UInt8(ascii: "8") : UInt8(ascii: "3") }
                return line
            }
        }
        if self.has(36) { exchange.cut(after: 100) }
    }

    /// Returns the bytes of a reply with its prompt, unless a quirk withholds or misplaces the prompt.
    mutating func reply(_ lines: [String], lineEnd: [UInt8], to command: String) -> [UInt8] {
        var bytes = lines.flatMap { Array($0.utf8) + lineEnd }
        if self.has(6), command == "ATRV", let line = lines.last {
            return Array(line.dropLast().utf8) + [UInt8(ascii: ">")]
        }
        bytes += lineEnd
        if self.has(1), command == "ATZ" || command == "ATE0" {
            self.isPromptWithheld = true
            return bytes
        }
        return bytes + [UInt8(ascii: ">")]
    }

    /// Returns the withheld prompt, if there is one, and clears it.
    mutating func takeWithheldPrompt() -> [UInt8] {
        defer { self.isPromptWithheld = false }
        return self.isPromptWithheld ? [UInt8(ascii: ">")] : []
    }

    /// Returns the answer to a stopped request, if there is one, and clears it.
    mutating func takeStoppedReply() -> [UInt8]? {
        defer { self.stoppedReply = nil }
        return self.stoppedReply
    }

    /// Returns `bytes` in the pieces in which they leave the adapter.
    func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        let bytes = self.has(4) ? bytes.flatMap { [$0, 0] } : bytes
        guard self.has(48), bytes.count > 20 else { return [bytes] }
        return stride(from: 0, to: bytes.count, by: 20).map { Array(bytes[$0..<min($0 + 20, bytes.count)]) }
    }
}
