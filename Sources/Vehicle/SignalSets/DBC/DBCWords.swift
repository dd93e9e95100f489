// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The words of a statement in a DBC file: what blanks separate, colons by themselves, and texts in quotation marks.
struct DBCWords {
    private var text: Substring
    /// The sign after the order of the bytes, `+` or `-`, once ``numbers(until:)`` has passed it.
    private(set) var sign: Character?

    init(_ statement: String) { self.text = statement[...] }

    private mutating func skipBlanks() { self.text = self.text.drop { $0 == " " || $0 == "\t" } }

    var isAtEnd: Bool { self.text.allSatisfy { $0 == " " || $0 == "\t" } }

    /// Returns the next word; nil at the end.
    mutating func next() -> String? {
        self.skipBlanks()
        guard let first = self.text.first else { return nil }
        if first == ":" || first == ";" || first == "," {
            self.text = self.text.dropFirst()
            return String(first)
        }
        let word = self.text.prefix { !" \t:;,\"".contains($0) }
        guard !word.isEmpty else { return nil }
        self.text = self.text.dropFirst(word.count)
        return String(word)
    }

    /// All words that are left.
    var rest: [String] {
        var words = self
        var rest: [String] = []
        while let word = words.next() { rest.append(word) }
        return rest
    }

    /// Returns the next text in quotation marks; nil if another word is next.
    mutating func nextQuoted() -> String? {
        self.skipBlanks()
        guard self.text.first == "\"" else { return nil }
        let inner = self.text.dropFirst()
        let quoted = inner.prefix { $0 != "\"" }
        self.text = inner.dropFirst(quoted.count + 1)
        return String(quoted)
    }

    /// The first text in quotation marks that is left; nil without one.
    var quoted: String? {
        guard let start = self.text.firstIndex(of: "\"") else { return nil }
        return String(self.text[self.text.index(after: start)...].prefix { $0 != "\"" })
    }

    /// Returns the numbers up to a character, which stays; empty if something else is between them.
    ///
    /// Limits in brackets that are no numbers, such as `1.#INF`, count as zero.
    mutating func numbers(until end: Character) -> [Double] {
        let part = self.text.prefix { $0 != end }
        self.text = self.text.dropFirst(part.count)
        // The sign of the bits follows the order of the bytes: 24|16@1+.
        let halves = part.split(separator: "@", maxSplits: 1)
        guard halves.count == 2, let mark = halves[1].firstIndex(where: { $0 == "+" || $0 == "-" }) else { return [] }
        self.sign = halves[1][mark]
        let all = [halves[0], halves[1][..<mark], halves[1][halves[1].index(after: mark)...]]
        let words = all.flatMap { $0.split { " \t|,()[]".contains($0) } }
        let numbers = words.enumerated().compactMap { Double($1) ?? ($0 >= 5 ? 0 : nil) }
        return numbers.count == words.count ? numbers : []
    }
}
