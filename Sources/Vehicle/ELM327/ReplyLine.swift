// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A classified line of a reply to an OBD request.
enum ReplyLine: Hashable, Sendable {
    case data(String)
    case notice(Notice)
    case ok
    /// A progress text such as `SEARCHING...`, which says nothing about the result.
    case progress
    /// Any other text: of a Bluetooth module, or garbage.
    case other

    /// Classifies a line.
    ///
    /// Texts are searched for inside the line, because clones join them (`SEARCHING...4100BE`).
    init(_ line: String) {
        let line = compact(line)
        // The fast path of nearly every line. Each of the texts has a letter that is not a hexadecimal digit.
        if Self.isHexadecimal(line[...]) {
            self = .data(line)
            return
        }
        var text = line[...]
        var progressed = false
        while let rest = Self.droppingProgress(text) {
            text = rest
            progressed = true
        }
        if progressed && text.isEmpty {
            self = .progress
        } else if let notice = Self.notice(in: text) {
            self = .notice(notice)
        } else if text == "OK" {
            self = .ok
        } else if Self.isHexadecimal(text) {
            self = .data(String(text))
        } else {
            self = .other
        }
    }

    private static func droppingProgress(_ text: Substring) -> Substring? {
        // Some adapters go on with the dots of the search on the line of the data.
        if text.hasPrefix(".") { return text.drop { $0 == "." } }
        if text.hasPrefix("SEARCHING") { return text.dropFirst(9).drop { $0 == "." } }
        guard text.hasPrefix("BUSINIT") else { return nil }
        let rest = text.dropFirst(7).drop { $0 == ":" || $0 == "." }
        if rest.hasPrefix("OK") { return rest.dropFirst(2) }
        return rest.isEmpty ? rest : nil
    }

    /// The texts of the notices; a longer text precedes the texts that it contains.
    private static let notices: [(text: String, notice: Notice)] = [
        ("UNABLETOCONNECT", .unableToConnect), ("NABLETO", .unableToConnect), ("NODATA", .noData),
        ("STOPPED", .stopped), ("DATAERROR", .damaged), ("RXERROR", .damaged), ("CANERROR", .busError),
        ("BUSERROR", .busError), ("FBERROR", .busError), ("BUSBUSY", .busBusy), ("BUSINIT", .busInitError),
        ("BUFFERFULL", .bufferFull), ("ACTALERT", .lowPower), ("LPALERT", .lowPower), ("LVRESET", .restarted),
        ("ELM327", .restarted),
    ]

    private static func notice(in text: Substring) -> Notice? {
        if let notice = self.notices.first(where: { text.contains($0.text) })?.notice { return notice }
        if self.isInternalError(text) { return .restarted }
        // Some adapters add the reason: `?WRONG HEXCHAR COUNT`. Digits behind the mark are of another reply.
        let isMark = text.hasPrefix("?") && (text.count == 1 || !self.isHexadecimal(text.dropFirst()))
        return isMark ? .notUnderstood : nil
    }

    /// Whether the text holds `ERRnn`: `ERR` before a digit, unlike `ERROR`.
    private static func isInternalError(_ text: Substring) -> Bool {
        text.ranges(of: "ERR").contains { text[$0.upperBound...].first?.isNumber == true }
    }

    private static func isHexadecimal(_ text: Substring) -> Bool {
        let bytes = text.utf8Span.span
        for index in bytes.indices where !Self.isDigit(bytes[index]) { return false }
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "F") ~= byte
    }
}
