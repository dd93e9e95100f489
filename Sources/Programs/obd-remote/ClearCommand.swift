// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import ArgumentParser
import Contract
import EventLoop
import Glibc
import Remote

extension ObdRemote {
    /// Clears codes, after showing what goes with them.
    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Reads the codes, shows what a clear erases, asks, clears, and shows what is gone.",
            discussion: """
                The vehicle has to stand with its engine off and its ignition on, and its agent has to allow it: \
                [commands] allow. What appears after you have been asked stops it, unless you say --all. What a clear \
                erases and could not be read is named; an agent refuses to erase it unless you say --accept-incomplete.
                """
        )

        @OptionGroup var options: CommandOptions

        @Flag(name: .long, help: "Do not ask.")
        var yes = false

        @Flag(name: .long, help: "Clear whatever the vehicle has by then, not just what was shown.")
        var all = false

        @Flag(name: .long, help: "Clear though the engine runs; takes an engineer's key, and an agent that allows it.")
        var overrideEngine = false

        @Flag(
            name: .long,
            help: "Clear though something that it erases could not be read, and so is lost without a trace."
        )
        var acceptIncomplete = false

        func run() async throws {
            guard self.yes || isatty(0) == 1 else {
                throw CommandFailure(.usage, "there is no terminal to ask: --yes clears without asking")
            }
            let vehicle = try await self.options.open()
            let reading = try await vehicle.perform("read_codes")
            try RemoteVehicle.check(reading)
            let preview = ClearPreview(reading.result)
            let lines = preview.lines(CodesText(reading.result).codes, of: vehicle.name)
            if !self.options.json {
                Output.lines(lines)
            } else if !self.yes {
                // Standard output is for the answer; who is asked sees what about.
                lines.forEach(Output.note)
            }
            guard self.all || !preview.erasable.isEmpty else {
                guard preview.unread.isEmpty else {
                    let lists = preview.unread.map(\.rawValue).joined(separator: " and ")
                    throw CommandFailure(
                        .failed,
                        "the \(lists) codes could not be read, so nobody knows what there is to clear; nothing was sent"
                    )
                }
                return Output.note("There is nothing to clear, so nothing was sent.")
            }
            guard self.yes || Console.isConfirmed("Type yes to erase this:") else {
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
                var table = Table()
                ClearText(answer.result).rows.forEach { table.append($0) }
                Output.lines(table.lines)
            }
            try RemoteVehicle.check(answer)
        }
    }
}
