// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The name of a command, with those of its commands.
package struct CommandNames: Hashable, Sendable {
    package let name: String
    package let commands: [CommandNames]

    package init(_ name: String, _ commands: [CommandNames] = []) {
        (self.name, self.commands) = (name, commands)
    }

    /// Returns the names of a command of a program.
    static func of<Command: ParsableCommand>(_ command: Command.Type) -> CommandNames {
        var commands: [CommandNames] = []
        for subcommand in command.configuration.subcommands { commands.append(Self.of(subcommand)) }
        return CommandNames(command.configuration.commandName ?? "", commands)
    }
}
