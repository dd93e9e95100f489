// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Session

/// What was said between the agent and an adapter, read back from its text.
package struct Transcript: Sendable {
    /// The longest text that is read, in bytes.
    package static let limit = 16 * 1024 * 1024

    /// In the order in which they happened.
    package private(set) var entries: [TranscriptEntry] = []
    /// The agent's version and the machine's boot, as the first header tells them.
    package private(set) var origin = ""

    /// Reads a transcript.
    ///
    /// The header may come again, where segments were put together. The first and the last line may be cut off.
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

    /// The transcript as text, which reads back as the same.
    package var text: String {
        ([TranscriptRing.magic + " " + self.origin] + self.entries.map(\.line)).joined(separator: "\n") + "\n"
    }

    /// Puts the two segments of a ``TranscriptRing`` in order.
    ///
    /// - Returns: nil where there is none.
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

/// Why a text is not read as a transcript.
package enum TranscriptError: Error, Equatable, Sendable {
    /// It does not begin as one.
    case notATranscript
    /// It is longer than ``Transcript/limit``.
    case tooLong
    /// The line of this number is none of a transcript.
    case badLine(Int)
}

extension TranscriptError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notATranscript: "this is no transcript of obd-agent"
        case .tooLong: "longer than \(Transcript.limit) bytes"
        case .badLine(let number): "line \(number) is none of a transcript"
        }
    }
}
