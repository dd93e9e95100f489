// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The layout of text in the cells of a terminal.
enum Cells {
    /// Returns the number of cells of a text: East Asian characters take two cells, combining ones none.
    static func width(_ text: String) -> Int { text.reduce(0) { $0 + self.width($1) } }

    private static func width(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default:
            return first.properties.generalCategory == .nonspacingMark ? 0 : 1
        }
    }

    /// Returns a text cut to a width, with an ellipsis if it was longer.
    static func cut(_ text: String, to width: Int) -> String {
        guard self.width(text) > width else { return text }
        guard width > 0 else { return "" }
        var (result, used) = ("", 1)
        for character in text {
            used += self.width(character)
            guard used <= width else { break }
            result.append(character)
        }
        return result + "…"
    }

    /// Returns a text filled up to a width with blanks: behind it, or before it.
    static func padded(_ text: String, to width: Int, atEnd: Bool) -> String {
        let blanks = String(repeating: " ", count: max(0, width - self.width(text)))
        return atEnd ? text + blanks : blanks + text
    }

    /// Returns a bar of this width, as its full and its empty part.
    static func bar(_ fill: Double, width: Int) -> (full: String, empty: String) {
        let width = max(0, width)
        let full = min(width, max(0, Int((fill * Double(width)).rounded())))
        return (String(repeating: "█", count: full), String(repeating: "░", count: width - full))
    }

    /// Returns numbers as a line of blocks, the newest last, and a blank for each nil.
    ///
    /// Constant numbers are of medium height.
    static func sparkline(_ numbers: [Double?], width: Int) -> String {
        let numbers = numbers.suffix(max(0, width))
        let known = numbers.compactMap(\.self)
        guard let low = known.min(), let high = known.max() else { return "" }
        let blocks = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        // Halves are subtracted, because the difference of two finite numbers may be infinite.
        let span = high / 2 - low / 2
        return numbers.map { number in
            guard let number else { return " " }
            guard span > 0 else { return blocks[3] }
            return blocks[min(7, max(0, Int((number / 2 - low / 2) / span * 7.99)))]
        }.joined()
    }

    /// Returns a text broken at blanks into lines of at most this width; a longer word is cut.
    static func wrap(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            let word = self.cut(String(word), to: width)
            if let line = lines.last, self.width(line) + 1 + self.width(word) <= width {
                lines[lines.count - 1] = "\(line) \(word)"
            } else {
                lines.append(word)
            }
        }
        return lines
    }
}
