// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import ELM327
internal import Base

/// What an adapter does wrong on purpose: the behaviour behind each number of ``Quirk``.
struct Misbehaviour: Sendable {
    /// What becomes of a command or a request instead of what should.
    enum Instead: Hashable, Sendable {
        case say([String])
        case freeze
        case disconnect
    }

    /// After so long without a byte the next one is lost.
    private static let rest = Duration.seconds(1)
    /// The adapter sleeps after so long.
    private static let awake = Duration.seconds(1800)

    let quirks: Set<Int>
    private let missing: [String]
    private let ignored: [String]
    private var started: MonotonicTime?
    private var lastByte: MonotonicTime?
    private var voltages = 0
    private var hasChattered = false
    /// How many requests there were, ``request`` included.
    private var requests = 0
    private var request: [UInt8] = []
    private var requestBefore: [UInt8] = []
    private var isDead = false
    /// A prompt that was not sent when it should have been.
    private(set) var owesPrompt = false
    /// What still comes although it was stopped.
    private var stalled: [UInt8]?
    /// The answer that comes after its prompt.
    private(set) var late: [UInt8]?

    init(_ options: SimulatedAdapter.Options) {
        self.quirks = options.quirks
        self.missing =
            options.missing + (options.quirks.contains(10) ? Self.unknown : [])
            + (options.quirks.contains(13) ? Self.newerThan12 : [])
        var ignored = options.ignored
        for (quirk, names) in Self.withoutEffect where options.quirks.contains(quirk) { ignored += names }
        self.ignored = ignored
    }

    func has(_ quirk: Int) -> Bool { self.quirks.contains(quirk) }

    /// Quirk 10.
    private static let unknown = ["S0", "S1", "FC", "CEA", "CRA", "BD", "AMC", "CSM", "CTM", "CER", "CFC", "TPA6"]
    /// Quirk 13.
    private static let newerThan12 = [
        "S0", "S1", "CRA", "CEA", "CSM", "FE", "SS", "IGN", "RD", "AMC", "AMT", "CTM", "CER", "D0", "D1", "KW",
    ]
    /// Commands that are accepted and do nothing.
    private static let withoutEffect: [Int: [String]] = [
        2: ["E0"], 14: [""], 28: ["S0"], 29: ["S0"], 33: ["H1"],
    ]

    // MARK: - What comes in

    /// Whether a byte that arrives gets lost, as the one at `index` of a write.
    mutating func loses(_ index: Int, at time: MonotonicTime) -> Bool {
        let start = self.started ?? time
        self.started = start
        let before = self.lastByte ?? time
        self.lastByte = time
        if self.has(53), time - start > Self.awake { return true }
        if self.has(49), index >= 20 { return true }
        return self.has(9) && time - before > Self.rest
    }

    /// What happens instead of performing `text`, which is what follows `AT`.
    mutating func instead(of text: String, volts: Double) -> Instead? {
        switch text {
        case "Z" where self.has(16): return .disconnect
        case "Z" where self.has(19): return .say(["VENDOR OPTION/MODE"])
        case "I" where self.has(19): return .say(["YM1130"])
        case "TPA0" where self.has(11): return .freeze
        case "DPN" where self.has(17): return .say(["A0"])
        case "RV":
            self.voltages += 1
            if self.has(43) { return .say(["ATRV", "0.0V"]) }
            if self.has(45), self.voltages % 3 == 1 { return .say(["4.1V"]) }
            return self.has(44) ? .say([SimulatedAdapter.volts(volts + 0.7)]) : nil
        case "Z", "WS", "D", "I", "DP", "SP0": break
        default:
            if self.missing.contains(where: { text.hasPrefix($0) }) { return .say(["?"]) }
            if self.ignored.contains(where: { text.hasPrefix($0) }) { return .say(["OK"]) }
        }
        if self.has(12), text.hasPrefix("SP") { return .say(["AT \(text)", "OK \(text)"]) }
        return nil
    }

    /// A request is about to be performed; what happens instead of it.
    mutating func begin(_ payload: [UInt8]) -> Instead? {
        self.requests += 1
        self.requestBefore = self.request
        self.request = payload
        self.late = nil
        return self.has(15) && self.requests.isMultiple(of: 5) ? .say(["?"]) : nil
    }

    /// The adapter starts anew.
    mutating func restarted() {
        self.isDead = false
        self.stalled = nil
    }

    // MARK: - The bus

    /// A request that is answered before the present one.
    var lateRequest: [UInt8]? {
        guard self.has(40), self.requests.isMultiple(of: 7), !self.requestBefore.isEmpty else { return nil }
        return self.requestBefore == self.request ? nil : self.requestBefore
    }

    /// What the ECUs say, spoiled.
    mutating func spoil(_ replies: [ECUReply], to request: [UInt8]) -> [ECUReply] {
        if self.has(41) {
            self.isDead = self.isDead || self.requests == 60
            guard !self.isDead else { return [] }
            if self.requests.isMultiple(of: 9), let service = request.first {
                let codes: [UInt8] = [0x11, 0x12, 0x21, 0x22, 0x31, 0x78]
                let code = codes[self.requests / 9 % codes.count]
                return replies.map { ECUReply(ecu: $0.ecu, delay: $0.delay, message: [0x7F, service, code]) }
            }
        }
        guard self.has(42), self.requests.isMultiple(of: 3), request.count == 2, request[0] == 0x01,
            request[1] != 0x01, !request[1].isMultiple(of: 0x20)
        else { return replies }
        return replies.map { reply in
            let ones = [UInt8](repeating: 0xFF, count: max(0, reply.message.count - 2))
            return ECUReply(ecu: reply.ecu, delay: reply.delay, message: reply.message.prefix(2) + ones)
        }
    }

    // MARK: - What goes out

    /// What is printed for a request, spoiled.
    mutating func spoil(_ exchange: inout Exchange) {
        self.spoilProgress(&exchange)
        self.spoilData(&exchange)
        if self.has(27), !self.hasChattered || self.requests.isMultiple(of: 25) {
            self.hasChattered = true
            exchange.insert("+CONNECTING<<00:0D:18:00:00:01", at: 0)
        }
        if self.has(25), self.requests.isMultiple(of: 17) { self.fail(&exchange) }
        if self.has(26), self.requests.isMultiple(of: 60) { exchange.replace(with: ["LV RESET"]) }
        if self.has(7), self.requests.isMultiple(of: 20) {
            self.stalled = exchange.pieces.flatMap { $0.bytes + [0x0D] } + Array("\r>".utf8)
            exchange.delay(by: .seconds(5))
        }
        if self.has(40), self.requests.isMultiple(of: 11), self.request != self.requestBefore {
            // Its own answer comes when nobody expects it any more.
            self.late = exchange.pieces.flatMap { $0.bytes + [0x0D] } + Array("\r>".utf8)
            exchange.replace(with: [])
        }
    }

    /// Whether the settings are lost with what was just printed.
    var losesSettings: Bool {
        self.has(26) && self.requests.isMultiple(of: 60)
            || self.has(25) && self.requests.isMultiple(of: 17) && Self.errors[self.errorIndex].hasPrefix("ERR")
    }

    private static let errors = [
        "ERR93", "!LP ALERT", "ACT ALERT", "STOPPED", "BUFFER FULL", "CAN ERROR", "BUS ERROR", "FB ERROR", "DATA ERROR",
        "<RX ERROR", "<DATA ERROR",
    ]

    private var errorIndex: Int { self.requests / 17 % Self.errors.count }

    private func fail(_ exchange: inout Exchange) {
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

    private func spoilProgress(_ exchange: inout Exchange) {
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

    private func spoilData(_ exchange: inout Exchange) {
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

    /// The bytes of a reply, from the prompt owed before to its own.
    mutating func reply(_ lines: [String], lineEnd: [UInt8], to command: String) -> [UInt8] {
        var bytes = lines.flatMap { Array($0.utf8) + lineEnd }
        if self.has(6), command == "ATRV", let line = lines.last {
            return Array(line.dropLast().utf8) + [UInt8(ascii: ">")]
        }
        bytes += lineEnd
        if self.has(1), command == "ATZ" || command == "ATE0" {
            self.owesPrompt = true
            return bytes
        }
        return bytes + [UInt8(ascii: ">")]
    }

    /// The next byte came: the prompt that is owed follows at last.
    mutating func payPrompt() -> [UInt8] {
        defer { self.owesPrompt = false }
        return self.owesPrompt ? [UInt8(ascii: ">")] : []
    }

    /// What comes although it was stopped.
    mutating func takeStalled() -> [UInt8]? {
        defer { self.stalled = nil }
        return self.stalled
    }

    /// The bytes as they leave, piece by piece.
    func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        let bytes = self.has(4) ? bytes.flatMap { [$0, 0] } : bytes
        guard self.has(48), bytes.count > 20 else { return [bytes] }
        return stride(from: 0, to: bytes.count, by: 20).map { Array(bytes[$0..<min($0 + 20, bytes.count)]) }
    }
}
