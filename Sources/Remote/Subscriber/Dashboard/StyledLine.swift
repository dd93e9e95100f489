// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A line of the screen, in pieces with a style each.
struct StyledLine: Sendable {
    private(set) var pieces: [(text: String, style: TextStyle)] = []

    init(_ text: String = "", _ style: TextStyle = .plain) { self.add(text, style) }

    /// The width of the line in cells.
    var width: Int { self.pieces.reduce(0) { $0 + Cells.width($1.text) } }

    mutating func add(_ text: String, _ style: TextStyle = .plain) {
        guard !text.isEmpty else { return }
        if let last = self.pieces.indices.last, self.pieces[last].style == style {
            self.pieces[last].text += text
        } else {
            self.pieces.append((text, style))
        }
    }

    mutating func add(_ line: StyledLine) { self.pieces += line.pieces }

    /// Appends blanks up to this column.
    mutating func tab(_ column: Int) {
        self.add(String(repeating: " ", count: max(0, column - self.width)))
    }

    /// Returns the line cut to a width.
    func cut(to width: Int) -> StyledLine {
        var (line, room) = (StyledLine(), width)
        for piece in self.pieces {
            let text = Cells.cut(piece.text, to: room)
            line.add(text, piece.style)
            room -= Cells.width(text)
        }
        return line
    }

    /// Returns the line with control sequences for a terminal, or as plain text.
    func rendered(inColor: Bool) -> String {
        self.pieces.map { text, style in
            inColor && style != .plain ? "\u{1B}[\(style.code)m\(text)\u{1B}[0m" : text
        }.joined()
    }
}
