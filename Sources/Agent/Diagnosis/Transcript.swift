// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Session

/// The recorded dialogue between the agent and an adapter, parsed from its text.
package struct Transcript: Sendable {
    /// The longest text that is parsed, in bytes.
    package static let limit = 16 * 1024 * 1024

    /// The entries in the order of their times.
    package private(set) var entries: [TranscriptEntry] = []
    /// The version of the agent and the boot id of the machine, from the first header.
    package private(set) var origin = ""

    /// Parses a transcript.
    ///
    /// In joined segments the header is repeated. The first and the last line may be cut off.
    package init(_ text: String) throws(TranscriptError) {
        guard text.utf8.count <= Self.limit else { throw .tooLong }
        guard text.hasPrefix(TranscriptRing.magic) else { throw .notATranscript }
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() where !line.isEmpty {
            if line.hasPrefix(TranscriptRing.magic) {
                if index == 0 { self.origin = String(line.dropFirst(TranscriptRing.magic.count + 1)) }
            } else if let entry = TranscriptEntry(line: line) {
                self.entries.append(entry)
            } else if index < lines.count - 1 {
                throw .badLine(index + 1)
            }
        }
    }

    init(_ entries: [TranscriptEntry], origin: String) {
        self.entries = entries
        self.origin = origin
    }

    /// The transcript as text.
    ///
    /// Parsing it gives an equal transcript.
    package var text: String {
        ([TranscriptRing.magic + " " + self.origin] + self.entries.map(\.line)).joined(separator: "\n") + "\n"
    }

    /// Joins the segments of a ``TranscriptRing``, the oldest first.
    ///
    /// - Returns: the text of a transcript; nil if no segment has an entry.
    package static func joined(_ segments: [String]) -> String? {
        func start(_ text: String) -> Substring? {
            text.split(separator: "\n", maxSplits: 2).dropFirst().first
        }
        let known = segments.compactMap { text in
            start(text).flatMap { TranscriptEntry(line: $0) }.map { (time: $0.time, text: text) }
        }
        guard !known.isEmpty else { return nil }
        return known.sorted { $0.time < $1.time }.map { $0.text.hasSuffix("\n") ? $0.text : $0.text + "\n" }.joined()
    }
}

/// An error in the text of a transcript.
package enum TranscriptError: Error, Equatable, Sendable {
    /// The text does not begin with the header of a transcript.
    case notATranscript
    /// The text is longer than ``Transcript/limit``.
    case tooLong
    /// The line with this number is no valid entry.
    case badLine(Int)
}

extension TranscriptError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notATranscript: "not a transcript of obd-agent: the header is missing"
        case .tooLong: "the transcript is longer than \(Transcript.limit) bytes"
        case .badLine(let number): "line \(number) is not a valid transcript entry"
        }
    }
}
