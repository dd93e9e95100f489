// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ELM327

/// Random bytes of a bad link or adapter: pieces of adapters' texts, and noise.
private struct Noise {
    var generator: SeededGenerator

    private static let words = [
        "7E8 06 41 00 BE 3E B8 11", "7E8101449020131", "7E821", "7E9037F0178", "18DAF110", "86F110", "486B10",
        "SEARCHING...",
        "BUS INIT: ", "OK", "ERROR", "?", "NO DATA", "STOPPED", "ELM327 v1.5", "ERR", "<DATA ERROR",
        "UNABLE TO CONNECT", "A6",
        "12.6V", "\r", "\r\n", "\r\r>", ">", " ", "\0", ".", ":", "0: 49 02", "41 0C 1A F8", "44", "+CONNECTING<<",
        "STN1110",
    ]

    mutating func bytes() -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...5, using: &self.generator) {
            if Bool.random(using: &self.generator) {
                bytes += (Self.words.randomElement(using: &self.generator) ?? "").utf8
            } else {
                bytes.append(UInt8.random(in: 0...255, using: &self.generator))
            }
        }
        return bytes
    }

    mutating func lines() -> [String] {
        var buffer = ReplyBuffer()
        var rest = (self.bytes() + self.bytes() + [UInt8(ascii: ">")])[...]
        guard case .reply(let lines) = buffer.take(&rest) else { return [] }
        return lines
    }

    mutating func outcome() -> CommandOutcome {
        switch Int.random(in: 0..<20, using: &self.generator) {
        case 0: .silence(prompted: true)
        case 1: .silence(prompted: false)
        case 2: .overflow
        default: .reply(self.lines())
        }
    }

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self.generator) == 0 }
}

@Suite("Random bytes")
struct RandomBytesTests {
    private static let seeds: Range<UInt64> = 0..<10
    private static let rounds = 5000

    @Test(
        "In any order of events, a dialogue sends only whole commands and single spaces, and ends",
        arguments: seeds
    )
    func dialogue(seed: UInt64) {
        var noise = Noise(generator: SeededGenerator(seed: seed))
        let commands = ["ATZ", "010C", "04", "", " ", "\r", "AT\rZ"].map {
            AdapterCommand($0, timeout: .seconds(2), service: 0x01)
        }
        let whole = Set(["ATZ\r", "010C\r", "04\r", " "].map { Array($0.utf8) })
        var dialogue = Dialogue()
        var isUnderWay = false
        var hasPrompted = false
        for _ in 0..<Self.rounds {
            switch Int.random(in: 0..<4, using: &noise.generator) {
            case 0:
                if case .send(let bytes, _) = dialogue.submit(commands[Int.random(in: 0..<7, using: &noise.generator)])
                {
                    #expect(whole.contains(bytes) && bytes != [0x20])
                    #expect(!isUnderWay)
                    (isUnderWay, hasPrompted) = (true, false)
                }
            case 1:
                if case .wait = dialogue.resynchronize() {
                    #expect(!isUnderWay)
                    (isUnderWay, hasPrompted) = (true, true)
                }
            case 2:
                let bytes = noise.bytes()
                hasPrompted = hasPrompted || bytes.contains(UInt8(ascii: ">"))
                switch dialogue.bytesReceived(bytes) {
                case .deliver:
                    #expect(isUnderWay && hasPrompted)
                    isUnderWay = false
                case .close:
                    dialogue = Dialogue()
                    isUnderWay = false
                case .wait, .extend: break
                }
            default:
                guard noise.chance(5) else { continue }
                var copy = dialogue
                #expect(Self.timeouts(&copy) <= 3)
                switch dialogue.deadlinePassed() {
                case .send(let bytes, _): #expect(bytes == [0x20] || bytes == Array("ATI\r".utf8))
                case .deliver:
                    #expect(isUnderWay)
                    isUnderWay = false
                case .none, .wait: break
                }
            }
        }
    }

    /// Returns the number of consecutive timeouts until the dialogue awaits nothing.
    private static func timeouts(_ dialogue: inout Dialogue) -> Int {
        for count in 0..<100 {
            switch dialogue.deadlinePassed() {
            case .none: return count
            case .deliver: return count + 1
            case .send, .wait: continue
            }
        }
        return 100
    }

    @Test("A request ends after a few steps, and is sent once if it is not repeatable", arguments: seeds)
    func exchange(seed: UInt64) {
        var noise = Noise(generator: SeededGenerator(seed: 1000 + seed))
        let requests = [
            SampleRequest.engineSpeed, SampleRequest.vin, SampleRequest.clearCodes, SampleRequest.supported,
        ]
        var performed = 0
        while performed < Self.rounds {
            let request = requests.randomElement(using: &noise.generator) ?? SampleRequest.vin
            let bus = BusProtocol.allCases.randomElement(using: &noise.generator) ?? .iso9141
            let line = request.payload.map(hexadecimal).joined()
            var exchange = Exchange(request, on: bus)
            var step = exchange.begin()
            var lines: [String] = []
            for _ in 0..<20 {
                performed += 1
                switch step {
                case .send(let command):
                    lines.append(command.line)
                    step = exchange.stepEnded(noise.outcome())
                case .resynchronize: step = exchange.stepEnded(noise.outcome())
                case .pause: step = exchange.stepEnded()
                case .finished: break
                }
            }
            guard case .finished = step else {
                Issue.record("no end: \(lines)")
                return
            }
            #expect(lines.count { $0 == line } <= (request.isRepeatable ? 3 : 1))
            #expect(Set(lines).isSubset(of: [line, "ATSTFF", "ATST32"]))
        }
    }

    @Test("Start-up ends after a few steps", arguments: seeds)
    func startUp(seed: UInt64) {
        var noise = Noise(generator: SeededGenerator(seed: 2000 + seed))
        var performed = 0
        while performed < Self.rounds {
            var startUp = StartUp(
                bus: noise.chance(2) ? BusProtocol.allCases.randomElement(using: &noise.generator) : nil
            )
            var step = startUp.begin()
            var count = 0
            while case .send(let command) = step, count < 100 {
                #expect(!command.line.isEmpty)
                count += 1
                step = startUp.commandEnded(noise.chance(2) ? .reply(["OK"]) : noise.outcome(), after: .zero)
            }
            #expect(count < 60)
            performed += count
        }
    }

    @Test("Replies are read without a trap, and every value is in a line", arguments: seeds)
    func interpreter(seed: UInt64) {
        var noise = Noise(generator: SeededGenerator(seed: 3000 + seed))
        for _ in 0..<Self.rounds {
            let lines = noise.lines()
            let bus = BusProtocol.allCases.randomElement(using: &noise.generator) ?? .iso9141
            let reply = ReplyInterpreter(lines, to: SampleRequest.engineSpeed, on: bus)
            #expect(reply.replies.count <= lines.count)
            for case .positive(let messages) in reply.replies.values {
                #expect(messages.allSatisfy { $0.starts(with: [0x41, 0x0C]) && $0.count == 4 })
            }
            _ = AdapterCommand.voltage(in: lines)
        }
    }
}
