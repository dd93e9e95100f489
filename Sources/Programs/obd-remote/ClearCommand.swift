// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import EventLoop
import Glibc
import Remote

extension ObdRemote {
    /// Clears codes, after showing what else a clear erases.
    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Reads the codes, shows what a clear erases, asks, clears, and shows the result.",
            discussion: """
                The vehicle must stand with its engine off and its ignition on, and the agent's [commands] allow must \
                have clear_codes. If a new code appears after the question, nothing is cleared, unless --all is given. \
                The command names what a clear erases although it could not be read. The agent refuses to erase it, \
                unless --accept-incomplete is given.
                """
        )

        @OptionGroup var options: CommandOptions

        @Flag(name: .long, help: "Do not ask.")
        var yes = false

        @Flag(name: .long, help: "Clear all codes that the vehicle has at that time, not only those shown.")
        var all = false

        @Flag(name: .long, help: "Clear while the engine runs. Needs an engineer's key, and an agent that allows it.")
        var overrideEngine = false

        @Flag(
            name: .long,
            help: "Clear although some of the erased data could not be read first."
        )
        var acceptIncomplete = false

        func run() async throws {
            guard self.yes || isatty(0) == 1 else {
                throw CommandFailure(
                    .usage,
                    "the question cannot be asked: standard input is no terminal",
                    next: "--yes"
                )
            }
            // A person sees the name and the codes before the question.
            let vehicle = try await self.options.open(takesOnline: !self.yes)
            let reading = try await vehicle.perform("read_codes")
            try RemoteVehicle.check(reading, to: "read_codes")
            let preview = ClearPreview(reading.result)
            let lines = preview.lines(CodesText(reading.result).codes, of: vehicle.name)
            if !self.options.json {
                Output.lines(lines)
            } else if !self.yes {
                // Standard output is for the response. The user who is asked sees the codes on standard error.
                lines.forEach(Output.note)
            }
            guard self.all || !preview.erasable.isEmpty else {
                guard preview.unread.isEmpty else {
                    let lists = preview.unread.map(\.rawValue).joined(separator: " and ")
                    throw CommandFailure(
                        .failed,
                        "the \(lists) codes could not be read, so it is unknown what to clear. Nothing was sent",
                        next: "again, or --all."
                    )
                }
                return Output.note("There is nothing to clear, so nothing was sent.")
            }
            if !self.yes { try await self.checkBefore(vehicle) }
            guard
                self.yes
                    || Console.isConfirmed(
                        "Type yes to erase this:",
                        interrupt: { _ in Console.end(saying: "Nothing was cleared.") }
                    )
            else {
                throw CommandFailure(.notConfirmed, "nothing was cleared")
            }
            let arguments = preview.arguments(
                all: self.all,
                overridesEngine: self.overrideEngine,
                acceptsIncomplete: self.acceptIncomplete
            )
            let answer = try await vehicle.perform("clear_codes", arguments)
            if self.options.json {
                Output.json(answer.json)
            } else {
                var table = TextTable()
                ClearText(answer.result).rows.forEach { table.append($0) }
                Output.lines(table.lines)
            }
            try RemoteVehicle.check(answer, to: "clear_codes")
        }

        /// Throws what the agent would refuse the clear for, before the user is asked.
        ///
        /// The agent judges once more when it clears. What cannot be found out is left to it.
        private func checkBefore(_ vehicle: RemoteVehicle) async throws {
            let description = try await vehicle.perform("describe")
            let commands = description.result["commands"].elements
            guard commands.isEmpty || commands.contains("clear_codes") else {
                throw CommandFailure(
                    .noPermission,
                    "the agent's [commands] allow lacks \"clear_codes\", so nothing was sent",
                    next:
                        "add it to allow in [commands] of the agent's configuration, or to allow_also if there is no allow."
                )
            }
            guard commands.contains("read_parameters"), !self.overrideEngine else { return }
            let reading = try await vehicle.perform("read_parameters", ["parameters": ["engine_speed"]])
            let speed = reading.result["values"]["engine_speed"]["value"].double
            guard let speed, speed > 0 else { return }
            throw CommandFailure(
                .refused,
                "the engine runs (\(Int(min(speed, 100_000))) rpm), so nothing was sent",
                next:
                    "switch the engine off, leave the ignition on, clear again. Or --override-engine, with an engineer's key."
            )
        }
    }
}
