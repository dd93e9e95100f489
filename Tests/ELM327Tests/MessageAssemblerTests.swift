// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ELM327

@Suite("Messages assembled from frames")
struct MessageAssemblerTests {
    private static let vin: [UInt8] = [0x49, 0x02, 0x01] + Transcript.vin

    /// Splits a message into frames of ISO 15765-2, as an adapter prints them.
    static func frames(_ message: [UInt8], from identifier: String = "7E8", padding: UInt8? = 0xAA) -> [String] {
        func line(_ bytes: [UInt8]) -> String {
            let padded = bytes + (padding.map { [UInt8](repeating: $0, count: 8 - bytes.count) } ?? [])
            return identifier + padded.map(hexadecimal).joined()
        }
        guard message.count > 7 else { return [line([UInt8(message.count)] + message)] }
        var lines = [line([0x10 | UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message.prefix(6))]
        var rest = message.dropFirst(6)
        while !rest.isEmpty {
            lines.append(line([0x20 | UInt8(lines.count & 0x0F)] + rest.prefix(7)))
            rest = rest.dropFirst(7)
        }
        return lines
    }

    private static func assemble(
        _ lines: [String],
        on bus: BusProtocol = .can11at500
    ) -> (messages: [ECUAddress: [[UInt8]]], dropped: Int) {
        var assembler = MessageAssembler()
        for line in lines {
            guard let frame = Frame(line, on: bus) else {
                Issue.record("no frame: \(line)")
                continue
            }
            assembler.append(frame, on: bus)
        }
        assembler.finish()
        return (Dictionary(uniqueKeysWithValues: assembler.messages.map { ($0.ecu, $0.messages) }), assembler.dropped)
    }

    private static func message(length: Int) -> [UInt8] {
        // No seven bytes repeat, so that a lost frame is always noticed.
        (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 7) }
    }

    @Test("Messages up to 4095 bytes are assembled whole, with any padding (quirks 31 and 36)")
    func lengths() {
        let lengths = Array(1...130) + [254, 255, 256, 257, 1000, 4088, 4094, 4095]
        for length in lengths {
            let message = Self.message(length: length)
            for padding in [0x00, 0x55, 0xAA, 0xFF, nil] as [UInt8?] {
                let (messages, dropped) = Self.assemble(Self.frames(message, padding: padding))
                #expect(messages == [.can11(0x7E8): [message]] && dropped == 0, "\(length) bytes")
            }
        }
    }

    @Test("Frames of several ECUs may interleave (quirk 35)")
    func interleaved() {
        var generator = SeededGenerator(seed: 35)
        for _ in 0..<200 {
            var queues: [[String]] = []
            var expected: [ECUAddress: [[UInt8]]] = [:]
            for ecu in 0..<4 {
                let message = Self.message(length: Int.random(in: 1...300, using: &generator))
                expected[.can29(UInt8(ecu))] = [message]
                queues.append(Self.frames(message, from: "18DAF1" + hexadecimal(UInt8(ecu))))
            }
            var lines: [String] = []
            while let index = queues.indices.filter({ !queues[$0].isEmpty }).randomElement(using: &generator) {
                lines.append(queues[index].removeFirst())
            }
            let (messages, dropped) = Self.assemble(lines, on: .can29at500)
            #expect(messages == expected)
            #expect(dropped == 0)
        }
    }

    @Test("A message with a lost frame is dropped")
    func lost() {
        for length in [20, 150] {
            let lines = Self.frames(Self.message(length: length))
            for index in lines.indices {
                var rest = lines
                rest.remove(at: index)
                let (messages, dropped) = Self.assemble(rest)
                #expect(messages.isEmpty, "frame \(index) of \(length) bytes")
                #expect(dropped > 0)
            }
        }
    }

    @Test("A frame printed twice does no harm (quirk 32)")
    func twice() {
        for length in [5, 20, 150] {
            let message = Self.message(length: length)
            let lines = Self.frames(message)
            for index in lines.indices {
                var more = lines
                more.insert(lines[index], at: index)
                let (messages, dropped) = Self.assemble(more)
                #expect(messages == [.can11(0x7E8): [message]], "frame \(index) of \(length) bytes")
                #expect(dropped == 1)
            }
        }
    }

    @Test("A message with two swapped frames is dropped")
    func outOfOrder() {
        let lines = Self.frames(Self.message(length: 150))
        for index in lines.indices.dropLast() {
            var changed = lines
            changed.swapAt(index, index + 1)
            let (messages, dropped) = Self.assemble(changed)
            #expect(messages.isEmpty, "frames \(index) and the next")
            #expect(dropped > 0)
        }
    }

    @Test("A stray frame drops the multi-frame messages of its ECU that began before it, and no others")
    func strayFrame() {
        let vin = Self.frames(Self.vin)
        let other = Self.frames(Self.message(length: 40), from: "7E9")
        let single = Self.frames([0x41, 0x0D, 0x20])
        // A frame of another message is inserted: its first, a middle or the last frame.
        for more in [Self.message(length: 40), Self.message(length: 20)].flatMap({ Self.frames($0) }) {
            for index in 0...vin.count {
                let (messages, dropped) = Self.assemble(vin[..<index] + [more] + vin[index...] + other + single)
                let isFirst = more.hasPrefix("7E81")
                let whole = index == 0 && !isFirst ? [Self.vin] : []
                #expect(messages[.can11(0x7E8)] == whole + [[0x41, 0x0D, 0x20]], "\(more) at \(index)")
                #expect(messages[.can11(0x7E9)] == [Self.message(length: 40)])
                #expect(dropped > 0)
            }
        }
    }

    @Test("A whole message behind the rest of another one is kept, as a Lexus GX 460 sends it")
    func restBefore() {
        // Recorded by the OBDb project.
        let lines = [
            "7E82359FF59FF000000", "7E8101E61013B001802", "7E8211B162525647B13", "7E822174C0118002778",
            "7E82329522700000200", "7E8240435A200000000",
        ]
        let (messages, dropped) = Self.assemble(lines)
        #expect(messages[.can11(0x7E8)]?.map(\.count) == [30] && dropped == 1)
        #expect(messages[.can11(0x7E8)]?.first?.starts(with: [0x61, 0x01, 0x3B]) == true)
        // The same rest behind it shows that frames of the message may be lost.
        #expect(Self.assemble(Array(lines.dropFirst() + lines.prefix(1))).messages.isEmpty)
    }

    @Test("A message that is sent again is kept if the first time broke off behind a consecutive frame")
    func again() {
        let message = Self.message(length: 60)
        let lines = Self.frames(message)
        for kept in 1..<lines.count {
            // A first frame alone may be the one to which the frames of the second message belong.
            let first = Self.frames(Self.message(length: 60).map { $0 ^ 0xFF }).prefix(kept)
            let (messages, dropped) = Self.assemble(first + lines)
            #expect(messages == (kept == 1 ? [:] : [.can11(0x7E8): [message]]), "\(kept)")
            #expect(dropped > 0)
            // A gap in the first one, and a gap in the second.
            let gap = Array(first.dropLast() + Self.frames(message).suffix(1))
            if kept > 2 { #expect(Self.assemble(gap + lines).messages == [.can11(0x7E8): [message]]) }
            #expect(Self.assemble(first + Array(lines[..<kept] + lines[(kept + 1)...])).messages.isEmpty)
        }
    }

    @Test("A message is dropped if its frame 1 may continue a stray frame 0, or a damaged first frame")
    func continuation() {
        let lines = Self.frames(Self.vin)
        let whole: [ECUAddress: [[UInt8]]] = [.can11(0x7E8): [Self.vin]]
        #expect(Self.assemble(["7E82000000000000000"] + lines).messages.isEmpty)
        #expect(Self.assemble(["7E8101449020131"] + lines).messages.isEmpty)
        #expect(Self.assemble(["7E82F00000000000000"] + lines).messages == whole)
        // Frame 1 of that message has come before, so it is not the next.
        #expect(Self.assemble(["7E82000000000000000", "7E82100000000000000"] + lines).messages == whole)
        // A damaged first frame ends the message before it.
        #expect(Self.assemble([lines[0], lines[1], "7E8101449020131", lines[2]]).messages.isEmpty)
    }

    @Test("A first frame alone is dropped (quirk 34)")
    func firstFrameOnly() {
        let (messages, dropped) = Self.assemble([Self.frames(Self.vin)[0]])
        #expect(messages.isEmpty)
        #expect(dropped == 1)
    }

    @Test(
        "Malformed frames are dropped",
        arguments: [
            "7E800", "7E8004100", "7E808410000000000", "7E80641", "7E81014490201", "7E81007490201313233",
            "7E82149020131323334",
            "7E830000000000000", "7E8F0", "7E81000000010004902",
        ]
    )
    func malformed(line: String) {
        let (messages, dropped) = Self.assemble([line])
        #expect(messages.isEmpty)
        #expect(dropped == 1)
    }

    @Test("A short frame in the middle of a message drops the message")
    func shortConsecutive() {
        var lines = Self.frames(Self.vin)
        lines[1] = String(lines[1].dropLast(2))
        let (messages, dropped) = Self.assemble(lines)
        #expect(messages.isEmpty)
        #expect(dropped > 0)
    }
}
