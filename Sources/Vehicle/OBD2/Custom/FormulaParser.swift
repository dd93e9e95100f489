// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The parser that turns a formula's text into a program.
///
/// Operators have the precedence of C, from `|` to the unary minus.
struct FormulaParser {
    /// The largest depth of nested brackets and functions.
    private static let depthLimit = 24
    /// The largest number of bits for `bits` and `signed`: the whole bytes that a Double holds exactly.
    private static let bitLimit = 48

    private let text: [UInt8]
    private var position = 0
    private var depth = 0
    private var steps: [Formula.Step] = []
    /// The number of values on the program's stack after the last step.
    private var height = 0

    init(_ text: String) throws(FormulaError) {
        self.text = Array(text.utf8)
        guard self.text.count <= Formula.lengthLimit else { throw .tooLong(limit: Formula.lengthLimit) }
    }

    mutating func parse() throws(FormulaError) -> [Formula.Step] {
        try self.expression(0)
        guard let byte = self.next else { return self.steps }
        throw .unexpected(Self.shown(byte), column: self.position + 1)
    }

    // MARK: - Operators

    /// The binary operators by precedence, the lowest first.
    private static let levels: [[(sign: String, step: Formula.Step)]] = [
        [("|", .or)], [("^", .exclusiveOr)], [("&", .and)],
        [("<<", .shiftLeft), (">>", .shiftRight)],
        [("+", .add), ("-", .subtract)],
        [("*", .multiply), ("/", .divide), ("%", .remainder)],
    ]

    private mutating func expression(_ level: Int) throws(FormulaError) {
        guard level < Self.levels.count else { return try self.factor() }
        try self.expression(level + 1)
        while let (_, step) = Self.levels[level].first(where: { self.take($0.sign) }) {
            try self.expression(level + 1)
            try self.emit(step, operands: 2)
        }
    }

    private mutating func factor() throws(FormulaError) {
        self.depth += 1
        defer { self.depth -= 1 }
        guard self.depth <= Self.depthLimit else { throw .tooComplex(column: self.position + 1) }
        if self.take("-") {
            try self.factor()
            return try self.emit(.negate, operands: 1)
        }
        if self.take("+") { return try self.factor() }
        let start = self.position + 1
        guard let byte = self.next else { throw .valueMissing(column: start) }
        switch byte {
        case UInt8(ascii: "("):
            self.position += 1
            try self.expression(0)
            guard self.take(")") else { throw self.end(or: .notClosed(column: start)) }
        case UInt8(ascii: "{"): try self.bracedBit()
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
            try self.emit(.constant(try self.number()), operands: 0)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): try self.name()
        default: throw .valueMissing(column: start)
        }
    }

    private mutating func emit(_ step: Formula.Step, operands: Int) throws(FormulaError) {
        self.steps.append(step)
        self.height += 1 - operands
        guard self.steps.count <= Formula.stepLimit, self.height <= Formula.stackLimit else {
            throw .tooComplex(column: self.position + 1)
        }
    }

    // MARK: - Values

    /// Parses a decimal number, or a hexadecimal one after `0x`.
    private mutating func number() throws(FormulaError) -> Double {
        let start = self.position
        let isHexadecimal = self.text[start...].starts(with: "0x".utf8) || self.text[start...].starts(with: "0X".utf8)
        if isHexadecimal { self.position += 2 }
        while self.position < self.text.count, Self.isWord(self.text[self.position]) || self.text[self.position] == 0x2E
        {
            self.position += 1
        }
        let word = String(decoding: self.text[start..<self.position], as: UTF8.self)
        let isPlain = word.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == 0x2E }
        let value =
            isHexadecimal ? UInt32(word.dropFirst(2), radix: 16).map { Double($0) } : isPlain ? Double(word) : nil
        guard let value, value.isFinite else { throw .unexpected(word, column: start + 1) }
        return value
    }

    /// Parses a byte, a bit of a byte (`A.3`), or a function.
    private mutating func name() throws(FormulaError) {
        let start = self.position
        let name = self.word()
        if self.next == UInt8(ascii: "(") { return try self.function(name, column: start + 1) }
        guard let index = Self.byteIndex(name) else { throw .unknownName(name, column: start + 1) }
        guard self.take(".") else { return try self.emit(.byte(index), operands: 0) }
        try self.bit(of: index)
    }

    /// Parses a bit of a byte in braces, 0 for the lowest bit: `{A:3}`.
    private mutating func bracedBit() throws(FormulaError) {
        let start = self.position + 1
        self.position += 1
        _ = self.next
        let column = self.position + 1
        let name = self.word()
        guard let index = Self.byteIndex(name) else { throw .unknownName(name, column: column) }
        guard self.take(":") else {
            throw self.end(or: .wrongArguments("a bit as in {A:3}", column: self.position + 1))
        }
        try self.bit(of: index)
        guard self.take("}") else { throw self.end(or: .notClosed(column: start)) }
    }

    private mutating func bit(of index: Int) throws(FormulaError) {
        _ = self.next
        let column = self.position + 1
        guard let bit = Int(self.word()), 0...7 ~= bit else {
            throw .wrongArguments("a bit from 0 to 7", column: column)
        }
        try self.emit(.bits(offset: index * 8 + 7 - bit, length: 1), operands: 0)
    }

    private static func byteIndex(_ name: String) -> Int? {
        let letters = Array(name.utf8)
        guard 1...2 ~= letters.count, letters.allSatisfy({ UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }) else {
            return nil
        }
        return letters.reduce(0) { $0 * 26 + Int($1 - UInt8(ascii: "A")) + 1 } - 1
    }

    // MARK: - Functions

    private mutating func function(_ name: String, column: Int) throws(FormulaError) {
        self.position += 1
        switch name {
        case "bits":
            let values = try self.constants()
            guard values.count == 2, 0..<702 * 8 ~= values[0], 1...Self.bitLimit ~= values[1],
                values[0] + values[1] <= 702 * 8
            else { throw .wrongArguments("bits(first, count), count at most \(Self.bitLimit)", column: column) }
            try self.emit(.bits(offset: values[0], length: values[1]), operands: 0)
        case "signed":
            try self.expression(0)
            var bits = 8
            if self.take(",") {
                bits = try self.constant()
                guard 1...Self.bitLimit ~= bits else {
                    throw .wrongArguments("signed(value, bits), bits at most \(Self.bitLimit)", column: column)
                }
            }
            guard self.take(")") else { throw self.end(or: .notClosed(column: column)) }
            try self.emit(.signed(bits: bits), operands: 1)
        case "abs":
            guard try self.arguments(join: nil, column: column) == 1 else {
                throw .wrongArguments("abs(value)", column: column)
            }
            try self.emit(.absolute, operands: 1)
        case "min", "max":
            guard try self.arguments(join: [name == "min" ? .minimum : .maximum], column: column) >= 2 else {
                throw .wrongArguments("\(name)(value, value)", column: column)
            }
        default: try self.integer(name, column: column)
        }
    }

    /// Parses the arguments of a function that joins bytes to a number, the highest first: `int16(A, B)`.
    private mutating func integer(_ name: String, column: Int) throws(FormulaError) {
        let isSigned = name.hasPrefix("int")
        let sizes = [16: 2, 24: 3, 32: 4]
        guard isSigned || name.hasPrefix("uint"), let bits = Int(name.dropFirst(isSigned ? 3 : 4)),
            let size = sizes[bits]
        else { throw .unknownName(name, column: column) }
        // Each further byte multiplies the number on the stack by 256 and adds itself.
        guard try self.arguments(join: nil, scaling: 256, column: column) == size else {
            throw .wrongArguments("\(name) of \(size) bytes, the highest first", column: column)
        }
        if isSigned { try self.emit(.signed(bits: bits), operands: 1) }
    }

    /// Parses the arguments up to the closing bracket and joins them to one value.
    ///
    /// - Parameters:
    ///   - join: the steps that join two arguments; nil for none, or for an addition after `scaling`.
    ///   - scaling: the factor for the value so far, before the next argument is added.
    ///   - column: the column of the function's name, for errors.
    /// - Returns: the number of arguments.
    private mutating func arguments(
        join: [Formula.Step]?,
        scaling: Double? = nil,
        column: Int
    ) throws(FormulaError) -> Int {
        try self.expression(0)
        var count = 1
        while self.take(",") {
            if let scaling {
                try self.emit(.constant(scaling), operands: 0)
                try self.emit(.multiply, operands: 2)
            }
            try self.expression(0)
            count += 1
            for step in join ?? (scaling == nil ? [] : [.add]) { try self.emit(step, operands: 2) }
        }
        guard self.take(")") else { throw self.end(or: .notClosed(column: column)) }
        return count
    }

    private mutating func constants() throws(FormulaError) -> [Int] {
        let column = self.position
        var values = [try self.constant()]
        while self.take(",") { values.append(try self.constant()) }
        guard self.take(")") else { throw self.end(or: .notClosed(column: column)) }
        return values
    }

    private mutating func constant() throws(FormulaError) -> Int {
        _ = self.next
        let column = self.position + 1
        guard let value = Int(self.word()) else { throw .wrongArguments("a whole number", column: column) }
        return value
    }

    // MARK: - Text

    /// The next byte that is not a blank; nil at the end.
    private var next: UInt8? {
        mutating get {
            while self.position < self.text.count, self.text[self.position] == 0x20 { self.position += 1 }
            return self.position < self.text.count ? self.text[self.position] : nil
        }
    }

    /// Skips `sign` if it comes next, and returns whether it did.
    private mutating func take(_ sign: String) -> Bool {
        guard self.next != nil, self.text[self.position...].starts(with: sign.utf8) else { return false }
        self.position += sign.utf8.count
        return true
    }

    /// Reads the letters and digits from here on.
    private mutating func word() -> String {
        let start = self.position
        while self.position < self.text.count, Self.isWord(self.text[self.position]) { self.position += 1 }
        return String(decoding: self.text[start..<self.position], as: UTF8.self)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// Returns `error` at the end of the text, else the error that the next byte is unexpected.
    private mutating func end(or error: FormulaError) -> FormulaError {
        guard let byte = self.next else { return error }
        return .unexpected(Self.shown(byte), column: self.position + 1)
    }

    private static func shown(_ byte: UInt8) -> String {
        0x21...0x7E ~= byte ? String(UnicodeScalar(byte)) : "\\x" + [byte].hexadecimal
    }
}
