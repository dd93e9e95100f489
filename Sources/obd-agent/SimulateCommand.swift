// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Configuration
import ELM327
import OBD2
import Simulator
import UnixSignals

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Plays a vehicle that drives, behind an ELM327 adapter.",
        discussion: """
            The vehicle is the same for the same seed. It makes trips, and between them stands with its engine off.

            Examples:
              obd-agent simulate --tcp 127.0.0.1:35000 --codes P0301,P0420
              obd-agent simulate --pty --protocol kwp-fast
              obd-agent read --adapter tcp:127.0.0.1:35000        (in another terminal)
            """
    )

    @Option(
        name: .long,
        help: "Listen here, HOST:PORT; port 0 takes a free one. The default without --pty and --ble is 127.0.0.1:35000."
    )
    var tcp: String?

    @Flag(name: .long, help: "Also offer a pseudo terminal, which is a serial device to other programs.")
    var pty = false

    @Flag(name: .long, help: "Also be a Bluetooth LE adapter, through BlueZ, for any central in reach.")
    var ble = false

    @Option(name: .long, help: "The Bluetooth controller for --ble.")
    var controller = "hci0"

    @Option(name: .long, help: "The vehicle's bus: 1 to 9, or a name such as can-11-500.")
    var `protocol` = "can-11-500"

    @Option(name: .long, help: "Confirmed codes, with commas between.")
    var codes = ""

    @Option(name: .long, help: "Pending codes, with commas between.")
    var pending = ""

    @Option(name: .long, help: "Permanent codes, with commas between.")
    var permanent = ""

    @Option(name: .long, help: "Which vehicle: a number.")
    var seed: UInt64 = 1

    @Option(name: .long, help: "The vehicle identification number.")
    var vin: String?

    @Option(name: .long, help: "How long a trip takes, in seconds.")
    var trip = 600.0

    @Option(name: .long, help: "How long it stands with its engine off after each trip, in seconds.")
    var pause = 60.0

    func run() async throws {
        let server: SimulatorServer
        do {
            server = try SimulatorServer(try self.options())
        } catch let error as SimulatorError {
            throw CommandFailure(.unavailable, "\(error)")
        }
        Console.print("Vehicle  \(self.vin ?? SimulatedVehicle.Options().vin)")
        if self.port != nil { Console.print("Adapter  \(server.address)") }
        if let terminal = server.terminal { Console.print("Adapter  serial:\(terminal)") }
        let peripheral = try await self.peripheral(server.vehicle)
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await withThrowingTaskGroup { group in
            group.addTask { try await server.run() }
            if let peripheral { group.addTask { try await peripheral.run() } }
            group.addTask { for await _ in signals { break } }
            try await group.next()
            group.cancelAll()
        }
    }

    private var port: String? { self.tcp ?? (self.pty || self.ble ? nil : "127.0.0.1:35000") }

    private func peripheral(_ vehicle: SharedVehicle) async throws -> SimulatedPeripheral? {
        guard self.ble else { return nil }
        var options = SimulatedPeripheral.Options()
        options.controller = self.controller
        do {
            let peripheral = try await SimulatedPeripheral(options, vehicle: vehicle)
            Console.print("Adapter  Bluetooth LE, \"\(options.name)\" on \(self.controller)")
            return peripheral
        } catch {
            throw CommandFailure(.unavailable, "\(error)")
        }
    }

    private func options() throws -> SimulatorServer.Options {
        var options = SimulatorServer.Options()
        options.vehicle.seed = self.seed
        options.vehicle.trip = .milliseconds(try Self.milliseconds(self.trip, "--trip"))
        options.vehicle.pause = .milliseconds(try Self.milliseconds(self.pause, "--pause"))
        options.vehicle.codes = try Self.codes(self.codes)
        options.vehicle.pendingCodes = try Self.codes(self.pending)
        options.vehicle.permanentCodes = try Self.codes(self.permanent)
        if let vin = self.vin {
            guard VIN(vin) != nil else {
                throw CommandFailure(.usage, "\"\(vin)\" is no VIN: 17 letters and digits, no I, O, Q")
            }
            options.vehicle.vin = vin
        }
        do {
            guard let bus = try ProtocolChoice(self.protocol).bus else {
                throw CommandFailure(.usage, "--protocol: a vehicle has one bus; choose 1 to 9, or a name")
            }
            options.vehicle.bus = bus
        } catch let error as ValueError {
            throw CommandFailure(.usage, "--protocol: \(error)")
        }
        options.offersTerminal = self.pty
        options.port = nil
        if let text = self.port {
            (options.host, options.port) = try Self.endpoint(text)
        }
        return options
    }

    /// Port 0, which takes a free one, makes no sense in an address to connect to, but does here.
    private static func endpoint(_ text: String) throws -> (host: String, port: UInt16) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let port = UInt16(parts[1]) else {
            throw CommandFailure(.usage, "--tcp: \"\(text)\" is not HOST:PORT, such as 127.0.0.1:35000")
        }
        return (String(parts[0]), port)
    }

    private static func milliseconds(_ seconds: Double, _ option: String) throws -> Int64 {
        guard 1...86_400 ~= seconds else { throw CommandFailure(.usage, "\(option): 1 to 86400 seconds") }
        return Int64(seconds * 1000)
    }

    private static func codes(_ text: String) throws -> [DTC] {
        try text.split(separator: ",").map { word in
            guard let code = DTC(String(word)) else {
                throw CommandFailure(.usage, "\"\(word)\" is no code, such as P0301")
            }
            return code
        }
    }
}
