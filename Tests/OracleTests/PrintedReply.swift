// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// A reply as an adapter prints it, cut at random places.
///
/// Adapters differ in blanks, line ends and the echo, and a link delivers bytes in pieces of any size.
struct PrintedReply {
    /// The pieces of the reply, in the order of their arrival.
    let pieces: [[UInt8]]

    /// - Parameters:
    ///   - lines: the lines of the recording; frames as digits.
    ///   - identifierLength: the number of digits of a frame's identifier.
    ///   - echo: the request, which some adapters repeat.
    ///   - isOrdered: whether frames with different identifiers have to stay in their order.
    ///   - numbers: the source of chance.
    init(
        _ lines: [String],
        identifierLength: Int,
        echo: String,
        isOrdered: Bool = false,
        using numbers: inout SeededNumbers
    ) {
        let hasBlanks = Bool.random(using: &numbers)
        let end = Bool.random(using: &numbers) ? "\r" : "\r\n"
        var text = Int.random(in: 0..<8, using: &numbers) == 0 ? echo + end : ""
        for line in isOrdered ? lines : Self.interleaved(lines, identifierLength, using: &numbers) {
            text += (hasBlanks ? Self.spaced(line, identifierLength) : line) + end
        }
        text += Int.random(in: 0..<8, using: &numbers) == 0 ? ">" : "\(end)>"
        self.pieces = Self.cut(Array(text.utf8), using: &numbers)
    }

    /// Returns the lines with those of different ECUs in a new order; each ECU's own order stays.
    private static func interleaved(
        _ lines: [String],
        _ identifierLength: Int,
        using numbers: inout SeededNumbers
    ) -> [String] {
        // Text between the frames has its place there.
        guard lines.allSatisfy(Self.isFrame) else { return lines }
        var queues: [[String]] = []
        for line in lines {
            let sender = line.prefix(identifierLength)
            if let index = queues.firstIndex(where: { $0[0].prefix(identifierLength) == sender }) {
                queues[index].append(line)
            } else {
                queues.append([line])
            }
        }
        guard queues.count > 1 else { return lines }
        var mixed: [String] = []
        while !queues.isEmpty {
            let index = Int.random(in: 0..<queues.count, using: &numbers)
            mixed.append(queues[index].removeFirst())
            if queues[index].isEmpty { queues.remove(at: index) }
        }
        return mixed
    }

    private static func isFrame(_ line: String) -> Bool {
        line.utf8.allSatisfy { UnicodeScalar($0).properties.isASCIIHexDigit }
    }

    /// Returns a frame with blanks, as `7E8 04 41 0C 1A F8 `; any other line as it is.
    private static func spaced(_ line: String, _ identifierLength: Int) -> String {
        guard Self.isFrame(line) else { return line }
        var text = ""
        for (index, digit) in line.utf8.enumerated() {
            let isFirst = identifierLength == 3 && index < 3 ? index == 0 : (index - identifierLength).isMultiple(of: 2)
            if index > 0, isFirst { text += " " }
            text.unicodeScalars.append(UnicodeScalar(digit))
        }
        return text + " "
    }

    /// Cuts the text; what follows a prompt arrives with it.
    private static func cut(_ text: [UInt8], using numbers: inout SeededNumbers) -> [[UInt8]] {
        let longest = [1, 4, 20, 244, text.count].randomElement(using: &numbers) ?? 20
        let prompt = text.firstIndex(of: UInt8(ascii: ">")) ?? text.count
        var pieces: [[UInt8]] = []
        var start = 0
        while start < text.count {
            var end = min(text.count, start + Int.random(in: 1...max(1, longest), using: &numbers))
            if end > prompt { end = text.count }
            pieces.append(Array(text[start..<end]))
            start = end
        }
        return pieces
    }
}
