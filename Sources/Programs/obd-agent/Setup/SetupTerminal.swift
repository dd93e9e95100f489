// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CommandLine
import Glibc

/// The user at a terminal, who answers the questions of `setup`.
enum SetupTerminal {
    /// The user does not want to answer.
    struct Cancelled: Error {}

    private static let unchanged: StaticString = "Nothing was changed."

    static var isThere: Bool { isatty(0) == 1 && isatty(2) == 1 }

    /// Asks a question, and returns the answer.
    static func ask(_ question: SetupDialogue.Question) throws -> String {
        while true {
            Console.printError("")
            question.lines.forEach(Console.printError)
            switch question.isHidden ? HiddenLine.read() : Self.readShownLine() {
            case .finished(let answer): return answer
            case .unusable(let reason): Console.printError("That did not work: \(reason)")
            case .interrupted: Console.end(saying: Self.unchanged)
            case .more, .cancelled: throw Cancelled()
            }
        }
    }

    private static func readShownLine() -> HiddenLine.Action {
        guard let answer = readLine() else { return .cancelled }
        // The reader puts this character where it cannot read one.
        return answer.unicodeScalars.contains("\u{FFFD}") ? .unusable(HiddenLine.notUTF8) : .finished(answer)
    }

    /// Makes Ctrl-C say that nothing has happened yet, and end the process.
    static func endsAtInterrupt() {
        signal(SIGINT) { _ in Console.end(saying: SetupTerminal.unchanged) }
    }

    /// Ignores Ctrl-C while files are written, so that none of them lacks the others.
    static func ignoresInterrupt() { signal(SIGINT, SIG_IGN) }

    /// Gives Ctrl-C its usual effect.
    static func obeysInterrupt() { signal(SIGINT, SIG_DFL) }
}
