// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Base
import Logging

extension ParsableCommand {
    /// Parses the command line and runs its command, then ends the process with the exit status of the result.
    ///
    /// Errors and help go through ``Console``, so that nothing in them can command a terminal.
    ///
    /// - Parameter logsItself: whether a command installs its own log handler. The others log lines to standard error.
    package static func runProgram(logsItself: (any ParsableCommand) -> Bool = { _ in false }) async {
        do {
            var command = try Self.parseAsRoot()
            if !logsItself(command) { LoggingSystem.bootstrap { _ in LineLogHandler() } }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            Self.printLines("\(Self.configuration.commandName ?? ""): \(failure)", to: Console.printError)
            Self.exit(withError: ExitCode(failure.code.rawValue))
        } catch {
            // As ArgumentParser does: help is a result, anything else an error.
            let (code, text) = (Self.exitCode(for: error), Self.fullMessage(for: error))
            if !text.isEmpty { Self.printLines(text, to: code.isSuccess ? Console.print : Console.printError) }
            Self.exit(withError: code)
        }
    }

    private static func printLines(_ text: String, to print: (String) -> Void) {
        text.split(separator: "\n", omittingEmptySubsequences: false).forEach { print(String($0)) }
    }
}
