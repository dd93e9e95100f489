// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Parses a UTF-8 text, statement by statement.
struct Parser: Sendable {
    var cursor: Cursor
    private var tree = Tree()
    /// The names in the header of the current table.
    private var table: [String] = []
    /// The path of the current key or header, for errors.
    private var path: [String] = []
    /// The number of tables and lists around the current position.
    private var depth = 0

    init(_ bytes: [UInt8]) {
        self.cursor = Cursor(bytes)
    }

    /// The number of parsed lines; the text after the last line end counts only if it is not empty.
    var lineCount: Int {
        var cursor = self.cursor
        let position = cursor.position()
        return position.column == 1 ? max(1, position.line - 1) : position.line
    }

    mutating func parseDocument() throws(SyntaxError) -> Table {
        while true {
            self.cursor.skipBlanks()
            guard let byte = self.cursor.byte else { return self.tree.root }
            if byte == UInt8(ascii: "[") {
                try self.parseHeader()
            } else if byte != UInt8(ascii: "#"), !self.cursor.isAtLineEnd {
                self.path = self.table
                self.depth = self.table.count
                try self.parseKeyAndValue(in: self.tree.current)
            }
            try self.parseLineEnd()
        }
    }

    // MARK: - Statements

    private mutating func parseHeader() throws(SyntaxError) {
        self.path = []
        self.depth = 0
        self.cursor.advance()
        let isList = self.cursor.byte == UInt8(ascii: "[")
        if isList { self.cursor.advance() }
        let parts = try self.parseKey(.tableName)
        for count in 0..<(isList ? 2 : 1) {
            guard self.cursor.byte == UInt8(ascii: "]") else {
                throw self.unexpected(.headerEnd(brackets: isList && count == 0 ? "]]" : "]"))
            }
            self.cursor.advance()
        }
        do {
            if isList { try self.tree.appendTable(parts) } else { try self.tree.openTable(parts) }
        } catch {
            throw self.failure(error, at: parts[0].position)
        }
        self.table = self.path
    }

    private mutating func parseKeyAndValue(in branch: Int) throws(SyntaxError) {
        let parts = try self.parseKey(.key)
        guard self.cursor.byte == UInt8(ascii: "=") else { throw self.unexpected(.equals) }
        self.cursor.advance()
        self.cursor.skipBlanks()
        let node = try self.parseNode()
        do {
            try self.tree.set(parts, to: node, in: branch)
        } catch {
            throw self.failure(error, at: parts[0].position)
        }
    }

    /// Parses a key such as `a . "b"` of at least one part, with the blanks around it; extends `path` and `depth`.
    private mutating func parseKey(_ expectation: Expectation) throws(SyntaxError) -> [KeyPart] {
        var parts: [KeyPart] = []
        while true {
            self.cursor.skipBlanks()
            let position = self.cursor.position()
            let name = try self.parseName(expectation)
            self.path.append(name)
            try self.enterLevel(from: position)
            parts.append(KeyPart(name: name, position: position))
            self.cursor.skipBlanks()
            guard self.cursor.byte == UInt8(ascii: ".") else { return parts }
            self.cursor.advance()
        }
    }

    private mutating func parseName(_ expectation: Expectation) throws(SyntaxError) -> String {
        switch self.cursor.byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            return try self.parseText(mayBeLong: false)
        default:
            let start = self.cursor.index
            self.cursor.skip(while: \.isBareKeyByte)
            guard self.cursor.index > start else { throw self.unexpected(expectation) }
            return String(decoding: self.cursor.bytes(since: start), as: UTF8.self)
        }
    }

    private mutating func parseLineEnd() throws(SyntaxError) {
        self.cursor.skipBlanks()
        try self.skipComment()
        if self.cursor.isAtLineEnd {
            self.cursor.skipLineEnd()
        } else if self.cursor.byte != nil {
            throw self.unexpected(.lineEnd)
        }
    }

    /// Skips a comment, up to the end of the line.
    private mutating func skipComment() throws(SyntaxError) {
        guard self.cursor.byte == UInt8(ascii: "#") else { return }
        self.cursor.skip { !$0.isControl }
        if let byte = self.cursor.byte, !self.cursor.isAtLineEnd { throw self.failure(.controlCharacter(byte)) }
    }

    // MARK: - Values

    private mutating func parseNode() throws(SyntaxError) -> TOMLNode {
        let position = self.cursor.position()
        let value: TOMLValue =
            switch self.cursor.byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): .text(try self.parseText(mayBeLong: true))
            case UInt8(ascii: "["): .array(try self.parseList(position))
            case UInt8(ascii: "{"): .table(try self.parseInlineTable())
            default: try self.parseWord(position)
            }
        return TOMLNode(value: value, position: position)
    }

    /// Parses a value without quotes: a number, a date or time, or a Boolean value.
    private mutating func parseWord(_ position: Position) throws(SyntaxError) -> TOMLValue {
        let start = self.cursor.index
        self.skipWord()
        // A blank may separate a date and a time.
        if DateTime.isDate(self.cursor.bytes(since: start)), self.cursor.byte == UInt8(ascii: " "),
            self.cursor.byte(after: 1)?.isDigit == true
        {
            self.cursor.advance()
            self.skipWord()
        }
        let word = self.cursor.bytes(since: start)
        guard !word.isEmpty else { throw self.unexpected(.value) }
        do {
            return try TOMLValue(word: word)
        } catch {
            throw self.failure(error, at: position)
        }
    }

    private mutating func skipWord() {
        self.cursor.skip { byte in
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ","), UInt8(ascii: "#"), UInt8(ascii: "="),
                UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "\""),
                UInt8(ascii: "'"):
                false
            default: !byte.isControl
            }
        }
    }

    private mutating func parseList(_ position: Position) throws(SyntaxError) -> [TOMLNode] {
        try self.enterLevel(from: position)
        self.cursor.advance()
        var nodes: [TOMLNode] = []
        while true {
            try self.skipBlankLines()
            if self.cursor.byte == UInt8(ascii: "]") { break }
            nodes.append(try self.parseNode())
            try self.skipBlankLines()
            if self.cursor.byte == UInt8(ascii: "]") { break }
            guard self.cursor.byte == UInt8(ascii: ",") else { throw self.unexpected(.listEnd(line: position.line)) }
            self.cursor.advance()
        }
        self.cursor.advance()
        self.depth -= 1
        return nodes
    }

    private mutating func skipBlankLines() throws(SyntaxError) {
        while true {
            self.cursor.skipBlanks()
            try self.skipComment()
            guard self.cursor.isAtLineEnd else { return }
            self.cursor.skipLineEnd()
        }
    }

    /// Parses a table in braces; its keys count as levels of depth, its braces do not.
    private mutating func parseInlineTable() throws(SyntaxError) -> Table {
        let branch = self.tree.beginInlineTable()
        let (path, depth) = (self.path.count, self.depth)
        try self.stepInsideBraces()
        if self.cursor.byte != UInt8(ascii: "}") {
            while true {
                try self.parseKeyAndValue(in: branch)
                self.path.removeSubrange(path...)
                self.depth = depth
                try self.skipBlanksInsideBraces()
                if self.cursor.byte == UInt8(ascii: "}") { break }
                guard self.cursor.byte == UInt8(ascii: ",") else { throw self.unexpected(.inlineTableEnd) }
                let comma = self.cursor.position()
                try self.stepInsideBraces()
                if self.cursor.byte == UInt8(ascii: "}") { throw self.failure(.trailingComma, at: comma) }
            }
        }
        self.cursor.advance()
        return self.tree.endInlineTable(branch)
    }

    private mutating func stepInsideBraces() throws(SyntaxError) {
        self.cursor.advance()
        try self.skipBlanksInsideBraces()
    }

    private mutating func skipBlanksInsideBraces() throws(SyntaxError) {
        self.cursor.skipBlanks()
        if self.cursor.isAtLineEnd { throw self.failure(.multilineInlineTable) }
    }

    /// Increases the depth, or throws at the limit.
    private mutating func enterLevel(from position: Position) throws(SyntaxError) {
        self.depth += 1
        if self.depth > Document.maximumDepth {
            throw self.failure(.tooDeep(limit: Document.maximumDepth), at: position)
        }
    }

    // MARK: - Errors

    /// Returns the error that the parser expected something else at the cursor.
    private mutating func unexpected(_ expectation: Expectation) -> SyntaxError {
        guard let byte = self.cursor.byte else { return self.failure(.expected(expectation, found: nil)) }
        if byte.isControl, !self.cursor.isAtLineEnd { return self.failure(.controlCharacter(byte)) }
        return self.failure(.expected(expectation, found: self.cursor.scalar))
    }

    /// Returns the error for a fault at the cursor.
    mutating func failure(_ fault: Fault) -> SyntaxError {
        self.failure(fault, at: self.cursor.position())
    }

    func failure(_ fault: Fault, at position: Position) -> SyntaxError {
        SyntaxError(fault: fault, position: position, path: self.path)
    }
}
