// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The parser of formulas and conditions.
///
/// The precedence grows from `or` over `and`, `not`, the comparisons, `+ -` and `* /` to the unary minus.
struct ExpressionParser {
    /// The largest depth of nested brackets, functions and signs.
    private static let depthLimit = 24
    /// The largest number of parts.
    private static let partLimit = 128

    private let text: [UInt8]
    private var position = 0
    private var depth = 0
    private var parts = 0

    init(_ text: String) throws(ExpressionError) {
        self.text = Array(text.utf8)
        guard self.text.count <= Expression.lengthLimit else { throw .tooLong(limit: Expression.lengthLimit) }
    }

    /// Parses the whole text as a number.
    mutating func number() throws(ExpressionError) -> Term {
        let start = self.column
        let term = try self.condition()
        guard term.isNumber else { throw .notANumber(column: start) }
        return term
    }

    /// Parses the whole text as a condition or a number.
    mutating func condition() throws(ExpressionError) -> Term {
        let term = try self.disjunction()
        if self.next != nil { throw self.unexpected() }
        guard !term.names.isEmpty else { throw .noNames }
        return term
    }

    // MARK: - Truth

    private mutating func disjunction() throws(ExpressionError) -> Term {
        var term = try self.conjunction()
        while self.take(word: "or") || self.take("||") { term = try self.part(.or(term, try self.conjunction())) }
        return term
    }

    private mutating func conjunction() throws(ExpressionError) -> Term {
        var term = try self.negation()
        while self.take(word: "and") || self.take("&&") { term = try self.part(.and(term, try self.negation())) }
        return term
    }

    private mutating func negation() throws(ExpressionError) -> Term {
        guard self.take(word: "not") else { return try self.comparison() }
        return try self.nested { parser throws(ExpressionError) in
            try parser.part(.not(try parser.negation()))
        }
    }

    /// The comparisons; a sign before its own beginnings.
    private static let comparisons: [Term.Comparison] = [
        .lessOrEqual, .greaterOrEqual, .equal, .notEqual, .less, .greater,
    ]

    private mutating func comparison() throws(ExpressionError) -> Term {
        let (start, left) = (self.column, try self.sum())
        guard let comparison = try self.comparisonSign() else { return left }
        let (middle, right) = (self.column, try self.sum())
        guard left.isNumber else { throw .notANumber(column: start) }
        guard right.isNumber else { throw .notANumber(column: middle) }
        let end = self.column
        guard let second = try self.comparisonSign() else { return try self.part(.comparison(comparison, left, right)) }
        let third = try? self.sum()
        throw .comparedTwice(column: end, instead: Term.text(of: left, comparison, right, second, third))
    }

    private mutating func comparisonSign() throws(ExpressionError) -> Term.Comparison? {
        if self.isNext("<>") { throw self.unexpected() }
        return Self.comparisons.first { self.take($0.rawValue) }
    }

    // MARK: - Numbers

    private mutating func sum() throws(ExpressionError) -> Term {
        try self.operations([.add, .subtract]) { parser throws(ExpressionError) in try parser.product() }
    }

    private mutating func product() throws(ExpressionError) -> Term {
        try self.operations([.multiply, .divide]) { parser throws(ExpressionError) in try parser.factor() }
    }

    private mutating func operations(
        _ operations: [Term.Operation],
        _ operand: (inout Self) throws(ExpressionError) -> Term
    ) throws(ExpressionError) -> Term {
        let start = self.column
        var term = try operand(&self)
        while let operation = operations.first(where: { self.take($0.rawValue) }) {
            guard term.isNumber else { throw .notANumber(column: start) }
            let middle = self.column
            let right = try operand(&self)
            guard right.isNumber else { throw .notANumber(column: middle) }
            guard operation != .divide || !right.isAlwaysZero else { throw .divisorAlwaysZero(column: middle) }
            term = try self.part(.operation(operation, term, right))
        }
        return term
    }

    private mutating func factor() throws(ExpressionError) -> Term {
        try self.nested { parser throws(ExpressionError) in try parser.nestedFactor() }
    }

    private mutating func nestedFactor() throws(ExpressionError) -> Term {
        let start = self.column
        if self.take("-") {
            let operand = try self.factor()
            guard operand.isNumber else { throw .notANumber(column: start + 1) }
            if case .constant(let number) = operand { return .constant(-number) }
            return try self.part(.negation(operand))
        }
        guard let byte = self.next else { throw .valueMissing(column: start) }
        switch byte {
        case UInt8(ascii: "("):
            self.position += 1
            let term = try self.disjunction()
            guard self.take(")") else { throw self.end(or: .notClosed(column: start)) }
            return term
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): return try self.literal()
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
            return try self.name()
        default: throw self.foreignSign() ?? .valueMissing(column: start)
        }
    }

    private mutating func literal() throws(ExpressionError) -> Term {
        let start = self.column
        let word = self.word()
        guard word.utf8.allSatisfy({ 0x30...0x39 ~= $0 || $0 == 0x2E }), let value = Double(word), value.isFinite else {
            throw .unexpected(word, column: start)
        }
        return try self.part(.constant(value))
    }

    private mutating func name() throws(ExpressionError) -> Term {
        let start = self.column
        let name = self.word()
        guard self.next == UInt8(ascii: "("), !["and", "or", "not"].contains(name) else {
            guard !Expression.reservedWords.contains(name) else { throw .unexpected(name, column: start) }
            if let known = Self.reservedWord(name) { throw .foreignSign(name, column: start, known: known) }
            return try self.part(.name(name))
        }
        return try self.function(name, column: start)
    }

    private mutating func function(_ name: String, column: Int) throws(ExpressionError) -> Term {
        guard ["abs", "min", "max"].contains(name) else { throw .unknownFunction(name, column: column) }
        self.position += 1
        var arguments = [try self.sum()]
        while self.take(",") { arguments.append(try self.sum()) }
        guard self.take(")") else { throw self.end(or: .notClosed(column: column)) }
        guard arguments.allSatisfy(\.isNumber) else { throw .notANumber(column: column) }
        if name == "abs" {
            guard arguments.count == 1 else { throw .wrongArguments("abs(value)", column: column) }
            return try self.part(.magnitude(arguments[0]))
        }
        guard arguments.count >= 2 else { throw .wrongArguments("\(name)(value, value)", column: column) }
        var term = arguments[0]
        for argument in arguments.dropFirst() {
            term = try self.part(.operation(name == "min" ? .minimum : .maximum, term, argument))
        }
        return term
    }

    // MARK: - Limits

    private mutating func part(_ term: Term) throws(ExpressionError) -> Term {
        self.parts += 1
        guard self.parts <= Self.partLimit else { throw .tooComplex(column: self.column) }
        return term
    }

    private mutating func nested(_ parse: (inout Self) throws(ExpressionError) -> Term) throws(ExpressionError) -> Term
    {
        self.depth += 1
        defer { self.depth -= 1 }
        guard self.depth <= Self.depthLimit else { throw .tooComplex(column: self.column) }
        return try parse(&self)
    }

    // MARK: - Text

    /// The column of the next byte that is not blank.
    private var column: Int {
        mutating get {
            _ = self.next
            return self.position + 1
        }
    }

    /// The next byte that is not blank; nil at the end of the text.
    private var next: UInt8? {
        mutating get {
            while self.position < self.text.count, [0x20, 0x09].contains(self.text[self.position]) {
                self.position += 1
            }
            return self.position < self.text.count ? self.text[self.position] : nil
        }
    }

    private mutating func isNext(_ sign: String) -> Bool {
        _ = self.next
        return self.text[self.position...].starts(with: sign.utf8)
    }

    private mutating func take(_ sign: String) -> Bool {
        guard self.isNext(sign) else { return false }
        self.position += sign.utf8.count
        return true
    }

    private mutating func take(word: String) -> Bool {
        let start = self.position
        _ = self.next
        if self.word() == word { return true }
        self.position = start
        return false
    }

    /// The next word of letters, digits, points and low lines.
    private mutating func word() -> String {
        let start = self.position
        while self.position < self.text.count, Self.isWord(self.text[self.position]) { self.position += 1 }
        return String(decoding: self.text[start..<self.position], as: UTF8.self)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    // MARK: - Mistakes

    /// Returns `error` at the end of the text, else the error that the next part is unexpected.
    private mutating func end(or error: ExpressionError) -> ExpressionError {
        self.next == nil ? error : self.unexpected()
    }

    /// Returns the error that the next part is unexpected.
    private mutating func unexpected() -> ExpressionError {
        let column = self.column
        if let error = self.foreignSign() { return error }
        let word = self.word()
        if let known = Self.reservedWord(word) { return .foreignSign(word, column: column, known: known) }
        guard word.isEmpty, let byte = self.next else { return .unexpected(word, column: column) }
        return .unexpected(
            0x21...0x7E ~= byte ? String(UnicodeScalar(byte)) : "a character that is not ASCII",
            column: column
        )
    }

    /// The signs of other languages, and ours; a sign before its own beginnings.
    private static let foreignSigns = [
        ("=>", ">="), ("=<", "<="), ("=", "=="), ("<>", "!="), ("!", "not"), ("&", "and"), ("|", "or"),
        ("≥", ">="), ("≤", "<="), ("≠", "!="), ("×", "*"), ("÷", "/"),
    ]

    /// Returns the error that the next sign is one of another language; nil if it is not.
    private mutating func foreignSign() -> ExpressionError? {
        guard !self.isNext("!="), let (sign, known) = Self.foreignSigns.first(where: { self.isNext($0.0) }) else {
            return nil
        }
        return .foreignSign(sign, column: self.column, known: known)
    }

    /// Returns the reserved word that is meant by a word with capitals; nil if none is.
    private static func reservedWord(_ word: String) -> String? {
        let small = word.lowercased()
        return small != word && Expression.reservedWords.contains(small) ? small : nil
    }
}
