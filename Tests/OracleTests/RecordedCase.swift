// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A reply of a real vehicle, and the values that the recording's own decoder found in it.
struct RecordedCase {
    /// The vehicle's model, which is also the name of its signal set: `Kia-EV9`.
    let model: String
    let year: Int
    let command: RecordedCommand
    /// The lines that the adapter printed: frames, notices, and text that leaked in from elsewhere.
    let lines: [String]
    /// The values by the identifier of their signal; a number, or the name of a state.
    let expected: [(id: String, value: JSON)]

    /// Parses a line: repository, model year, command, lines, values, with tabs between.
    init?(_ line: String) {
        let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard cells.count == 5, let year = Int(cells[1]), let command = RecordedCommand(cells[2]),
            let expected = try? JSON(parsing: Array(cells[4].utf8), depthLimit: 2)
        else { return nil }
        self.model = String(cells[0].split(separator: "/").last ?? "")
        self.year = year
        self.command = command
        self.lines = cells[3].split(separator: "|").map(String.init)
        self.expected = expected.members.map { (id: $0.key, value: $0.value) }
    }
}

/// The request of a recording: `7E4.7EC.220101|fc=1`.
struct RecordedCommand: Hashable {
    let payload: [UInt8]
    /// The number of digits of an identifier in the recorded frames.
    let identifierLength: Int
    /// The identifier of the ECU that answers; nil for a request to all ECUs.
    let responder: String?
    /// Whether an address byte precedes the data of each frame.
    let hasAddressByte: Bool

    init?(_ text: Substring) {
        let parts = text.split(separator: "|", maxSplits: 1)
        let addresses = parts[0].split(separator: ".")
        guard 2...3 ~= addresses.count, let payload = [UInt8](hexadecimal: addresses[addresses.count - 1]) else {
            return nil
        }
        var options: [Substring: Substring] = [:]
        for option in parts.dropFirst().first?.split(separator: ",") ?? [] {
            let pair = option.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { options[pair[0]] = pair[1] }
        }
        self.payload = payload
        self.hasAddressByte = options["e"] != nil
        let header = addresses[0]
        let receiver = addresses.count == 3 ? addresses[1] : nil
        self.identifierLength = header.count == 3 ? 3 : 8
        if header.count == 3 {
            let number = UInt16(header, radix: 16).map { ($0 + 8).hexadecimal.suffix(3) }
            self.responder = header == "7DF" ? nil : (receiver ?? number).map(String.init)
        } else if header.hasPrefix("DB") {
            self.responder = nil
        } else if let receiver, receiver.count == 6 {
            self.responder = "\(options["c"] ?? "18")\(receiver)"
        } else {
            self.responder = "18DAF1" + (receiver ?? header.suffix(2))
        }
    }
}
