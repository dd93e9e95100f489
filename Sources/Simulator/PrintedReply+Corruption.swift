// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base

// The changes that quirks make to the printed reply.

extension PrintedReply {
    /// Inserts a line of the adapter's own before the piece at `index`.
    mutating func insert(_ text: String, at index: Int) {
        let time = self.pieces.isEmpty ? self.end : self.pieces[index].time
        let piece = Piece(time: time, bytes: Array(text.utf8), endsLine: true, isData: false)
        self.pieces.insert(piece, at: index)
    }

    /// Replaces the whole reply with these lines of the adapter's own.
    mutating func replace(with lines: [String]) {
        self.pieces = []
        for line in lines { self.appendText(line) }
    }

    mutating func mapData(_ change: ([UInt8]) -> [UInt8]) {
        for index in self.pieces.indices where self.pieces[index].isData {
            self.pieces[index].bytes = change(self.pieces[index].bytes)
        }
    }

    /// Delays the whole reply.
    mutating func delay(by duration: Duration) {
        for index in self.pieces.indices { self.pieces[index].time = self.pieces[index].time + duration }
        self.end = self.end + duration
    }

    /// Replaces a text of the adapter's own.
    ///
    /// - Returns: whether the text was found.
    @discardableResult
    mutating func rename(_ text: String, to other: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let index = self.pieces.firstIndex(where: { !$0.isData && $0.bytes == bytes }) else { return false }
        self.pieces[index].bytes = Array(other.utf8)
        return true
    }

    /// Removes the end of line after a text of the adapter's own, so that the next piece follows on the same line.
    mutating func glue(_ text: String) {
        let bytes = Array(text.utf8)
        for index in self.pieces.indices where !self.pieces[index].isData && self.pieces[index].bytes == bytes {
            self.pieces[index].endsLine = false
        }
    }

    /// Joins all data on one line.
    mutating func join() {
        guard let last = self.pieces.lastIndex(where: \.isData) else { return }
        for index in self.pieces.indices where self.pieces[index].isData && index != last {
            self.pieces[index].endsLine = false
        }
    }

    /// Repeats each line of data.
    mutating func repeatData() {
        self.pieces = self.pieces.flatMap { $0.isData ? [$0, $0] : [$0] }
    }

    /// Ends the reply with BUFFER FULL after `limit` characters.
    mutating func cut(after limit: Int) {
        var count = 0
        for index in self.pieces.indices {
            let room = max(0, limit - count)
            count += self.pieces[index].bytes.count
            guard count > limit else { continue }
            self.pieces[index].bytes.removeLast(self.pieces[index].bytes.count - room)
            self.pieces.removeSubrange((index + 1)...)
            return self.appendText("BUFFER FULL")
        }
    }

    /// Sends the dots of a text one by one, once a second.
    ///
    /// The data follow on the same line.
    mutating func trickle(_ text: String, dots: Int) {
        let bytes = Array(text.utf8)
        guard let index = self.pieces.firstIndex(where: { !$0.isData && $0.bytes == bytes }) else { return }
        self.delay(by: .seconds(dots))
        // This empty piece would end the line of the text.
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
