// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base

// How quirks change what is printed.

extension Exchange {
    /// Puts a line of the adapter's own in front of the piece at `index`.
    mutating func insert(_ text: String, at index: Int) {
        let time = self.pieces.isEmpty ? self.end : self.pieces[index].time
        let piece = Piece(time: time, bytes: Array(text.utf8), endsLine: true, isData: false)
        self.pieces.insert(piece, at: index)
    }

    /// Says these lines and nothing else.
    mutating func replace(with lines: [String]) {
        self.pieces = []
        for line in lines { self.say(line) }
    }

    mutating func mapData(_ change: ([UInt8]) -> [UInt8]) {
        for index in self.pieces.indices where self.pieces[index].isData {
            self.pieces[index].bytes = change(self.pieces[index].bytes)
        }
    }

    /// Everything comes so much later.
    mutating func delay(by duration: Duration) {
        for index in self.pieces.indices { self.pieces[index].time = self.pieces[index].time + duration }
        self.end = self.end + duration
    }

    /// Spells a text of the adapter's differently.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    mutating func rename(_ text: String, to other: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let index = self.pieces.firstIndex(where: { !$0.isData && $0.bytes == bytes }) else { return false }
        self.pieces[index].bytes = Array(other.utf8)
        return true
    }

    /// What follows a text of the adapter's stands on the same line.
    mutating func glue(_ text: String) {
        let bytes = Array(text.utf8)
        for index in self.pieces.indices where !self.pieces[index].isData && self.pieces[index].bytes == bytes {
            self.pieces[index].endsLine = false
        }
    }

    /// All data stand on one line.
    mutating func join() {
        guard let last = self.pieces.lastIndex(where: \.isData) else { return }
        for index in self.pieces.indices where self.pieces[index].isData && index != last {
            self.pieces[index].endsLine = false
        }
    }

    /// Each line of data comes twice.
    mutating func repeatData() {
        self.pieces = self.pieces.flatMap { $0.isData ? [$0, $0] : [$0] }
    }

    /// The buffer is full after so many characters.
    mutating func cut(after limit: Int) {
        var count = 0
        for index in self.pieces.indices {
            let room = max(0, limit - count)
            count += self.pieces[index].bytes.count
            guard count > limit else { continue }
            self.pieces[index].bytes.removeLast(self.pieces[index].bytes.count - room)
            self.pieces.removeSubrange((index + 1)...)
            return self.say("BUFFER FULL")
        }
    }

    /// A text whose dots come one a second, and whose line the data continue.
    mutating func trickle(_ text: String, dots: Int) {
        let bytes = Array(text.utf8)
        guard let index = self.pieces.firstIndex(where: { !$0.isData && $0.bytes == bytes }) else { return }
        self.delay(by: .seconds(dots))
        // The end of the line that the text began.
        if index + 1 < self.pieces.count, self.pieces[index + 1].bytes.isEmpty { self.pieces.remove(at: index + 1) }
        let start = self.pieces[index].time
        let trickle = (0..<dots).map { dot -> Piece in
            let bytes = dot == 0 ? Array("SEARCHING".utf8) : [UInt8(ascii: ".")]
            let time = start - .seconds(dots - dot)
            return Piece(time: time, bytes: bytes, endsLine: false, isData: false)
        }
        self.pieces.replaceSubrange(index...index, with: trickle)
    }
}
