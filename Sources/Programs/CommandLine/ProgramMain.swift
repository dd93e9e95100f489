// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Base
import Logging

extension ParsableCommand {
    /// Parses the command line and runs its command, then ends the process with the exit status of the result.
    ///
    /// Errors and help go through ``Console``, so that nothing in them can command a terminal. A result that could not
    /// be written is a failure, unless the command has failed by itself.
    ///
    /// - Parameter logsItself: whether a command installs its own log handler. The others log lines to standard error.
    package static func runProgram(logsItself: (any ParsableCommand) -> Bool = { _ in false }) async {
        StandardOutput.reserve()
        var code = ExitCode.success
        do {
            var command = try Self.parseAsRoot()
            if !logsItself(command) { LoggingSystem.bootstrap { _ in LineLogHandler() } }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            code = Self.report(error)
        }
        do {
            try StandardOutput.check()
        } catch {
            let unwritten = Self.report(error)
            if code.isSuccess { code = unwritten }
        }
        if !code.isSuccess { Self.exit(withError: code) }
    }

    /// Prints an error, or the help that was asked for, and returns the exit status.
    private static func report(_ error: any Error) -> ExitCode {
        if let failure = error as? CommandFailure {
            Self.printLines("\(Self.configuration.commandName ?? ""): \(failure)", to: Console.printError)
            return ExitCode(failure.code.rawValue)
        }
        let (code, text) = (Self.exitCode(for: error), Self.fullMessage(for: error))
        let words = Array(Swift.CommandLine.arguments.dropFirst())
        if code == .validationFailure, let unknown = CommandSuggestion.find(words, of: .of(Self.self)) {
            let name = Self.configuration.commandName ?? ""
            let next = unknown.meant ?? "\(name) --help, which lists the commands."
            return Self.report(CommandFailure(.usage, "\"\(unknown.word)\" is no command", next: next))
        }
        // As ArgumentParser does: help is a result, anything else an error.
        if !text.isEmpty { Self.printLines(text, to: code.isSuccess ? Console.print : Console.printError) }
        return code
    }

    private static func printLines(_ text: String, to print: (String) -> Void) {
        text.split(separator: "\n", omittingEmptySubsequences: false).forEach { print(String($0)) }
    }
}
