// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import Remote
import Subscriber

extension ObdRemote {
    /// Reads the trouble codes of a vehicle.
    struct Codes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "codes",
            abstract: "Reads the trouble codes of every ECU with their freeze frames. Clears nothing."
        )

        @OptionGroup var options: CommandOptions

        @Flag(name: .long, help: "Show the codes that were read last, without a request to the vehicle.")
        var last = false

        func run() async throws {
            guard self.last else {
                return try await self.options.perform("read_codes", onlyReads: true) { CodesText($0).lines }
            }
            let broker = try self.options.choice.broker.brokerAccess()
            let vehicle = try await self.options.choice.known(on: broker)
            var picture = VehiclePicture(name: vehicle)
            for message in try await broker.retained(["codes"], of: vehicle) {
                picture.receive("codes", message.payload)
            }
            guard picture.codes != .null else {
                return Output.note("The broker has no codes of \(vehicle): they were never read.")
            }
            guard !self.options.json else { return Output.json(picture.codes) }
            Output.line("Read          \(picture.codes["time"].time?.text(at: .present) ?? Timestamp.unknownText)")
            Output.lines(CodesText(picture.codes).lines)
        }
    }
}
