// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Contract
import EventLoop
import Glibc
import Remote

extension RemoteCommand {
    /// Clears codes, after showing what goes with them.
    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Reads the codes, shows what a clear erases, asks, clears, and shows what is gone.",
            discussion: """
                The vehicle has to stand with its engine off and its ignition on, and its agent has to allow it: \
                [commands] allow. What appears after you have been asked stops it, unless you say --all.
                """
        )

        @OptionGroup var options: CommandOptions

        @Flag(name: .long, help: "Do not ask.")
        var yes = false

        @Flag(name: .long, help: "Clear whatever the vehicle has by then, not just what was shown.")
        var all = false

        @Flag(name: .long, help: "Clear though the engine runs; takes an engineer's key, and an agent that allows it.")
        var overrideEngine = false

        func run() async throws {
            guard self.yes || isatty(0) == 1 else {
                throw CommandFailure(.usage, "there is no terminal to ask: --yes clears without asking")
            }
            let vehicle = try await self.options.open()
            let reading = try await vehicle.perform("read_codes")
            try RemoteVehicle.check(reading)
            let codes = CodesText(reading.result)
            if !self.options.json { Output.lines(self.preview(codes, reading.result, vehicle.name)) }
            guard self.all || !codes.erasable.isEmpty else {
                return Output.note("There is nothing to clear, so nothing was sent.")
            }
            guard self.yes || Self.isConfirmed() else {
                throw CommandFailure(.notConfirmed, "nothing was cleared")
            }
            let confirm: JSON = self.all ? "all" : .array(codes.erasable.map { .string($0) })
            var arguments = ["confirm": confirm]
            if self.overrideEngine { arguments["override_engine"] = true }
            let answer = try await vehicle.perform("clear_codes", arguments)
            if self.options.json { Output.json(answer.json) } else { Output.lines(ClearText(answer.result).lines) }
            try RemoteVehicle.check(answer)
        }

        private func preview(_ codes: CodesText, _ report: JSON, _ vehicle: String) -> [String] {
            var lines = ["\(vehicle), warning lamp \(CodesText.lamp(report["mil"])). A clear erases:"]
            lines += codes.erasable.isEmpty ? ["", "  no codes"] : codes.codes
            lines.append("")
            for frame in codes.freezeFrames {
                lines.append("  the freeze frame of \(frame.ecu), stored with \(frame.code)")
            }
            lines.append("  readiness for an inspection, and what the on-board tests came to")
            if !codes.permanent.isEmpty {
                lines.append("")
                lines.append(
                    "Permanent codes stay until their ECU has seen the fault gone: \(codes.permanent.joined(separator: ", "))"
                )
            }
            return lines
        }

        /// Asks on the terminal; only the whole word counts.
        private static func isConfirmed() -> Bool {
            Console.printError("")
            Console.printError("Type yes to erase this:")
            return readLine()?.lowercased() == "yes"
        }
    }
}
