// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import FoundationEssentials

/// Standard output and standard error of the commands that speak over a broker.
package enum Output {
    /// Writes a line of the result, without blanks at its end.
    package static func line(_ line: String) {
        let end = line.lastIndex { $0 != " " }
        Console.print(end.map { String(line[...$0]) } ?? "")
    }

    package static func lines(_ lines: [String]) {
        for line in lines { Self.line(line) }
    }

    /// Tells how it goes, on standard error.
    package static func note(_ line: String) {
        Console.printError(line)
    }

    /// Writes JSON, on many lines or on one.
    package static func json(_ value: JSON, onOneLine: Bool = false) {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            onOneLine
            ? [.sortedKeys, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        // Numbers that JSON does not have are not read from it either.
        guard let data = try? encoder.encode(value) else { return }
        Console.printJSON(String(decoding: data, as: UTF8.self))
    }
}

extension Timestamp {
    /// For people: `10:05:00 UTC`, with the day where it is another than that of `now`.
    package func text(at now: Timestamp) -> String {
        let (day, time) = (self.description.prefix(10), self.description.dropFirst(11).prefix(8))
        return day == now.description.prefix(10) ? "\(time) UTC" : "\(day) \(time) UTC"
    }
}
