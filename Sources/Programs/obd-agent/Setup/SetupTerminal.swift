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
        Console.printError("")
        question.lines.forEach(Console.printError)
        guard question.isHidden else {
            guard let answer = readLine() else { throw Cancelled() }
            return answer
        }
        switch HiddenLine.read() {
        case .finished(let answer): return answer
        case .interrupted: Console.end(saying: Self.unchanged)
        case .more, .cancelled: throw Cancelled()
        }
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
