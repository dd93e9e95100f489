// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A line of a screen: pieces, each in one ink.
struct StyledLine: Sendable {
    private(set) var pieces: [(text: String, ink: Ink)] = []

    init(_ text: String = "", _ ink: Ink = .plain) { self.add(text, ink) }

    /// How many cells it takes.
    var width: Int { self.pieces.reduce(0) { $0 + Cells.width($1.text) } }

    mutating func add(_ text: String, _ ink: Ink = .plain) {
        if !text.isEmpty { self.pieces.append((text, ink)) }
    }

    /// Fills up with blanks, so that what follows begins in this column.
    mutating func tab(_ column: Int) {
        self.add(String(repeating: " ", count: max(0, column - self.width)))
    }

    /// What of it has room.
    func cut(to width: Int) -> StyledLine {
        var (line, room) = (StyledLine(), width)
        for piece in self.pieces {
            let text = Cells.cut(piece.text, to: room)
            line.add(text, piece.ink)
            room -= Cells.width(text)
        }
        return line
    }

    /// As a terminal gets it.
    func rendered(inColour: Bool) -> String {
        self.pieces.map { text, ink in
            inColour && ink != .plain ? "\u{1B}[\(ink.code)m\(text)\u{1B}[0m" : text
        }.joined()
    }
}
