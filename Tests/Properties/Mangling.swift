// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Simulator
import TestSupport

/// The corruption of one reply between the simulated adapter and its client.
enum Mangling: CaseIterable, Hashable, Sendable {
    /// The reply arrives unchanged.
    case none
    /// The whole reply arrives late, even during one of the next two requests.
    case late
    /// Line ends vanish, so that lines stick together.
    case joinedLines
    /// A line vanishes: a consecutive frame, or one ECU's whole answer.
    case lostLine
    /// Some bytes vanish.
    case lostBytes
    /// One byte is replaced by another.
    case changedBytes
    /// Lines of earlier replies, of any ECU and any request, come in between.
    case foreignLines
    /// The lines of this reply come twice, or in another order.
    case shuffledLines
    /// A prompt precedes the reply.
    case promptBefore
    /// A prompt appears somewhere within the reply.
    case promptWithin
    /// The prompt is missing.
    case noPrompt
    /// The adapter prints the command before the reply, as after `AT E1`.
    case echo
    /// A CAN frame states a wrong length.
    case wrongLength
    /// The adapter itself misbehaves with one of ``faults``.
    case fault

    /// The faults of the simulated adapter that neither break the link nor change settings.
    static let faults: [InjectedFault] = [
        .garbage, .truncated, .lateReply(to: [0x01, 0x0C]), .lateReply(to: [0x01, 0x0D]), .promptMissing,
        .duplicatedLines, .noData, .negative(0x11), .negative(0x21), .negative(0x22), .negative(0x78), .stopped,
        .silence, .slowBytes,
    ]

    /// Returns the corrupted bytes of a whole reply.
    ///
    /// - Parameters:
    ///   - earlier: the data lines of earlier replies.
    ///   - command: the command that the reply answers.
    func spoil(
        _ reply: [UInt8],
        earlier: [[UInt8]],
        command: [UInt8],
        using numbers: inout SeededNumbers
    ) -> [UInt8] {
        let end = UInt8(ascii: "\r")
        var lines = reply.split(separator: end, omittingEmptySubsequences: false).map(Array.init)
        let data = lines.indices.filter { Self.isData(lines[$0]) }
        guard let some = data.randomElement(using: &numbers) else { return reply }
        switch self {
        case .none, .late, .fault: return reply
        case .joinedLines:
            guard some + 1 < lines.count else { return reply }
            lines[some] += lines.remove(at: some + 1)
        case .lostLine: lines.remove(at: some)
        case .lostBytes:
            // A padded frame that loses one byte (two digits) can look like a valid unpadded frame. The client
            // cannot detect that, so a full frame loses one or three digits, which the client can detect.
            let isFull = lines[some].count == 19 || lines[some].count == 24
            let count = isFull ? [1, 3].randomElement(using: &numbers) ?? 1 : Int.random(in: 1...3, using: &numbers)
            lines[some].removeSubrange(Self.range(of: count, in: lines[some], &numbers))
        case .changedBytes:
            let index = Int.random(in: lines[some].indices, using: &numbers)
            // Another digit would be undetectable: the adapter prints a CAN frame without its checksum.
            lines[some][index] = [0x00, 0x80, 0xFF, UInt8(ascii: "G")].randomElement(using: &numbers) ?? 0
        case .foreignLines:
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                guard let line = earlier.randomElement(using: &numbers) else { continue }
                lines.insert(line, at: Int.random(in: data[0]...some, using: &numbers))
            }
        case .shuffledLines:
            if Bool.random(using: &numbers) {
                lines.insert(lines[some], at: data[0])
            } else {
                lines.swapAt(some, data[0])
            }
        case .promptBefore: return [UInt8(ascii: ">")] + reply
        case .promptWithin:
            let index = Int.random(in: 0...reply.count, using: &numbers)
            return reply[..<index] + [UInt8(ascii: ">")] + reply[index...]
        case .noPrompt: return reply.filter { $0 != UInt8(ascii: ">") }
        case .echo: return command + reply
        case .wrongLength:
            // This is the second digit after the identifier, the length. The client cannot check other digits.
            let index = lines[some][0] == UInt8(ascii: "7") ? 4 : 9
            guard lines[some].count > index,
                lines[some][0] == UInt8(ascii: "7") || lines[some].starts(with: "18DA".utf8)
            else { return reply }
            lines[some][index] = Array("0123456789ABCDEF".utf8).randomElement(using: &numbers) ?? 0
        }
        return Array(lines.joined(separator: [end]))
    }

    private static func range(of count: Int, in line: [UInt8], _ numbers: inout SeededNumbers) -> Range<Int> {
        let start = Int.random(in: 0...line.count - count, using: &numbers)
        return start..<start + count
    }

    /// Whether a line consists of at least five hexadecimal digits.
    static func isData(_ line: [UInt8]) -> Bool {
        line.count > 4 && line.allSatisfy { 0x30...0x39 ~= $0 || 0x41...0x46 ~= $0 }
    }
}
