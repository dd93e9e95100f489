// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Standard output and standard error of the commands that speak over a broker.
package enum Output {
    /// Writes a line of the result without trailing spaces.
    package static func line(_ line: String) {
        let end = line.lastIndex { $0 != " " }
        Console.print(end.map { String(line[...$0]) } ?? "")
    }

    package static func lines(_ lines: [String]) {
        for line in lines { Self.line(line) }
    }

    /// Writes a note about the progress to standard error.
    package static func note(_ line: String) {
        Console.printError(line)
    }

    /// Writes JSON with a line for each member and element, or on one line.
    package static func json(_ value: JSON, onOneLine: Bool = false) {
        JSONOutput.write(value, onOneLine: onOneLine)
    }
}

extension Timestamp {
    /// The time as `10:05:00 UTC`; the day stands before it unless it is the day of `now`.
    package func text(at now: Timestamp) -> String {
        let (day, time) = (self.description.prefix(10), self.description.dropFirst(11).prefix(8))
        return day == now.description.prefix(10) ? "\(time) UTC" : "\(day) \(time) UTC"
    }
}
