// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import JOSE
import MQTT
import Remote
import Subscriber

/// The options of a command to a vehicle: who signs it, when it expires, and how the response is printed.
struct CommandOptions: ParsableArguments {
    @OptionGroup var choice: VehicleChoice

    @Option(
        name: .long,
        help: "The private key that signs the command, a JWK file. Without it the command is unsigned.",
        completion: .file()
    )
    var signingKey: String?

    @Option(name: .long, help: "The time until the command expires, also while the vehicle is offline: 5m, up to 24h.")
    var valid = TimeSpan(.seconds(300))

    @Flag(name: .long, help: "Send also to a vehicle that this broker has never seen. Its name may be mistyped.")
    var unseen = false

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    func validate() throws {
        guard .seconds(1)...OutgoingCommand.maximumValidity ~= self.valid.duration else {
            throw ValidationError("--valid must be 1s to 24h")
        }
    }

    /// Returns the chosen vehicle, with the key that signs its commands.
    ///
    /// - Parameter takesOnline: whether the only vehicle that is online is meant, if the broker knows more and none is named.
    func open(takesOnline: Bool) async throws -> RemoteVehicle {
        let key = try OptionValue(self.signingKey, of: "--signing-key").map { try KeyFile.read($0.text) }
        let broker = try self.choice.broker.brokerAccess()
        return RemoteVehicle(
            broker: broker,
            name: try await self.choice.known(
                on: broker,
                unseen: .sent(always: self.unseen),
                takesOnline: takesOnline
            ),
            key: key,
            validity: self.valid.duration
        )
    }

    /// Sends a command, waits for its final response, and prints it.
    ///
    /// - Parameters:
    ///   - onlyReads: whether the command changes nothing, so that it may go to the only vehicle that is online.
    ///   - check: throws if the command should not be sent to this vehicle.
    func perform(
        _ command: String,
        _ arguments: [String: JSON] = [:],
        onlyReads: Bool = false,
        check: (RemoteVehicle) async throws -> Void = { _ in },
        print lines: (JSON) -> [String]
    ) async throws {
        let vehicle = try await self.open(takesOnline: onlyReads)
        try await check(vehicle)
        let answer = try await vehicle.perform(command, arguments)
        if self.json { Output.json(answer.json) }
        try RemoteVehicle.check(answer, to: command)
        if !self.json { Output.lines(lines(answer.result)) }
    }
}
