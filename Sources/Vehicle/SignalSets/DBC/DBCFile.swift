// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The frames and signals of a DBC file, which describes what the nodes of a CAN bus send.
///
/// Read are `BO_`, `SG_`, `VAL_`, `SIG_VALTYPE_` and `SG_MUL_VAL_`; all else is passed over.
struct DBCFile: Sendable {
    /// A frame, with its signals.
    struct Frame: Sendable {
        /// The CAN identifier; bit 31 stands for one of 29 bits.
        let number: UInt32
        let name: String
        /// The number of bytes.
        let length: Int
        var signals: [DBCSignal] = []

        var identifier: UInt32 { self.number & 0x1FFF_FFFF }
        var isExtended: Bool { self.number & 0x8000_0000 != 0 }
        /// Whether a node sends the frame: the file keeps signals without a frame in one that none sends.
        var isSent: Bool { self.number & 0x4000_0000 == 0 }

        /// Whether a word is the name of the frame, or its identifier in hexadecimal digits.
        func isNamed(_ word: String) -> Bool { word == self.name || UInt32(word, radix: 16) == self.identifier }
    }

    /// The most bytes of a statement.
    private static let statementLimit = 65536
    /// The words that begin a statement which may follow one without its semicolon.
    private static let keywords = ["BO_ ", "SG_ ", "VAL_ ", "CM_ ", "BA_ ", "BA_DEF_", "SIG_VALTYPE_ ", "SG_MUL_VAL_ "]

    private(set) var frames: [Frame] = []
    /// The indices of the frames, by number.
    private var indices: [UInt32: Int] = [:]

    /// Reads a file, in UTF-8 or else in Latin-1.
    init(_ bytes: [UInt8]) throws(SignalSetError) {
        let text =
            String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
        var statement = ""
        var start = 0
        var isQuoted = false
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if !statement.isEmpty, !isQuoted, Self.keywords.contains(where: line.hasPrefix) {
                try self.read(statement, start)
                statement = ""
            }
            // A comment or a list of labels may go on for several lines.
            if statement.isEmpty { start = index + 1 } else { statement += " " }
            statement += line
            guard statement.utf8.count <= Self.statementLimit else { throw Self.endless(start) }
            if Self.hasOddQuotes(line) { isQuoted.toggle() }
            guard !isQuoted, !statement.hasPrefix("VAL_ ") || line.utf8.contains(UInt8(ascii: ";")) else { continue }
            try self.read(statement, start)
            statement = ""
        }
        guard !isQuoted else { throw Self.endless(start) }
        if !statement.isEmpty { try self.read(statement, start) }
        if self.frames.isEmpty { throw .noFrames }
    }

    private static func endless(_ line: Int) -> SignalSetError {
        .line(line, expected: "the end of the text in quotation marks that begins here")
    }

    /// Whether a line begins or ends a text in quotation marks; a quotation mark after a backslash is part of the text.
    private static func hasOddQuotes(_ line: Substring) -> Bool {
        var isOdd = false
        var last: UInt8 = 0
        for byte in line.utf8 {
            if byte == UInt8(ascii: "\""), last != UInt8(ascii: "\\") { isOdd.toggle() }
            last = byte
        }
        return isOdd
    }

    private mutating func read(_ statement: String, _ line: Int) throws(SignalSetError) {
        var words = DBCWords(statement)
        switch words.next() {
        case "BO_" where !words.isAtEnd: try self.readFrame(&words, line)
        case "SG_" where !words.isAtEnd: try self.readSignal(&words, line)
        case "VAL_" where !words.isAtEnd: self.readLabels(&words)
        case "SIG_VALTYPE_" where !words.isAtEnd:
            self.change(&words) { signal, words in
                // Some write a colon before the number.
                var word = words.next()
                if word == ":" { word = words.next() }
                signal.isFloat = word == "1" || word == "2"
            }
        case "SG_MUL_VAL_" where !words.isAtEnd:
            self.change(&words) { signal, words in
                signal.multiplexor = words.next()
                let ranges = words.rest.filter { $0 != ";" && $0 != "," }
                let ends = ranges.first?.split(separator: "-").compactMap { Int($0) } ?? []
                guard ranges.count != 1 || ends.count != 2 || ends[0] != ends[1] else { return }
                signal.multiplex = .extended
            }
        default: return
        }
    }

    private mutating func readFrame(_ words: inout DBCWords, _ line: Int) throws(SignalSetError) {
        let form = "BO_ NUMBER NAME: BYTES SENDER"
        guard let number = words.next().flatMap({ UInt32($0) }), let name = words.next(), words.next() == ":",
            let length = words.next().flatMap({ Int($0) })
        else { throw .line(line, expected: form) }
        self.indices[number] = self.frames.count
        self.frames.append(Frame(number: number, name: name, length: length))
    }

    private mutating func readSignal(_ words: inout DBCWords, _ line: Int) throws(SignalSetError) {
        let form = "SG_ NAME : START|LENGTH@ORDER+ (FACTOR,OFFSET) [LEAST|MOST] \"UNIT\" RECEIVER"
        guard !self.frames.isEmpty else { throw .line(line, expected: "BO_ before the first SG_") }
        guard let name = words.next(), let word = words.next() else { throw .line(line, expected: form) }
        let multiplex = word == ":" ? DBCSignal.Multiplex.none : Self.multiplex(word)
        guard word == ":" || words.next() == ":" else { throw .line(line, expected: form) }
        let numbers = words.numbers(until: "\"")
        guard numbers.count == 7, let start = Int(exactly: numbers[0]), let length = Int(exactly: numbers[1]),
            0..<65536 ~= start, 1...65536 ~= length, [0, 1].contains(numbers[2]), let sign = words.sign
        else { throw .line(line, expected: form) }
        self.frames[self.frames.count - 1].signals.append(
            DBCSignal(
                name: name,
                multiplex: multiplex,
                start: start,
                length: length,
                isLittleEndian: numbers[2] == 1,
                isSigned: sign == "-",
                factor: numbers[3],
                offset: numbers[4],
                limits: (numbers[5], numbers[6]),
                unit: words.quoted ?? ""
            )
        )
    }

    private static func multiplex(_ word: String) -> DBCSignal.Multiplex {
        if word == "M" { return .multiplexor }
        guard word.hasPrefix("m") else { return .extended }
        return Int(word.dropFirst()).map { .value($0) } ?? (word.hasSuffix("M") ? .nested : .extended)
    }

    private mutating func readLabels(_ words: inout DBCWords) {
        self.change(&words) { signal, words in
            while let number = words.next().flatMap({ Int($0) }), let label = words.nextQuoted() {
                guard signal.labels.count < 256 else { return }
                signal.labels[number] = Printable.text(label).prefix(bytes: 64)
            }
        }
    }

    /// Changes the signal that the next two words name: the number of its frame, and its name.
    private mutating func change(_ words: inout DBCWords, _ body: (inout DBCSignal, inout DBCWords) -> Void) {
        guard let number = words.next().flatMap({ UInt32($0) }), let name = words.next(),
            let frame = self.indices[number],
            let signal = self.frames[frame].signals.firstIndex(where: { $0.name == name })
        else { return }
        body(&self.frames[frame].signals[signal], &words)
    }
}
