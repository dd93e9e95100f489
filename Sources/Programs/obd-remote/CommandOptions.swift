// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Subscriber
import CommandLine
import ArgumentParser
import Contract
import JOSE
import MQTT
import Remote

/// How a command is sent, and how long somebody waits for its end.
struct CommandOptions: ParsableArguments {
    @OptionGroup var choice: VehicleChoice

    @Option(name: .long, help: "The private key to sign with, a JWK file; without it the command goes unsigned.")
    var signingKey: String?

    @Option(name: .long, help: "How long the vehicle may take to obey, also while it is offline: 5m, 24h.")
    var valid = TimeSpan(.seconds(300))

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    func validate() throws {
        guard .seconds(1)...OutgoingCommand.maximumValidity ~= self.valid.duration else {
            throw ValidationError("--valid: from 1s to 24h")
        }
    }

    /// A vehicle to talk to.
    func open() async throws -> RemoteVehicle {
        let key = try BrokerOptions.value(self.signingKey, "SIGNING_KEY").map { try KeyFile.read($0) }
        let broker = try self.choice.broker.remoteBroker()
        return RemoteVehicle(
            broker: broker,
            name: try await self.choice.chosen(on: broker),
            key: key,
            life: self.valid.duration
        )
    }

    /// Sends a command, waits, and prints what it came to.
    func perform(
        _ command: String,
        _ arguments: [String: JSON] = [:],
        print lines: (JSON) -> [String]
    ) async throws {
        let answer = try await self.open().perform(command, arguments)
        if self.json { Output.json(answer.json) }
        try RemoteVehicle.check(answer)
        if !self.json { Output.lines(lines(answer.result)) }
    }
}
