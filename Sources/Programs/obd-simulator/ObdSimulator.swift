// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Configuration
import ELM327
import OBD2
import Simulator
import UnixSignals

@main
struct ObdSimulator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "obd-simulator",
        abstract: "Plays a vehicle that drives, behind an ELM327 adapter.",
        discussion: """
            The vehicle makes trips, and between them stands with its engine off. An electric vehicle also sleeps and
            charges. The same seed gives the same vehicle.

            Examples:
              obd-simulator --tcp 127.0.0.1:35000 --codes P0301,P0420
              obd-simulator --pty --protocol kwp-fast
              obd-simulator --dialect uds --codes P0301-1F
              obd-simulator --vehicle electric --parking 600 --charge 3600
              obd-simulator --protocol j1939 --codes SPN110-FMI0,SPN100-FMI1
              obd-simulator --fleet 200 --config fleet.toml
              obd-simulator --personality clone-2.1 --quirk 7,22
              obd-simulator --link ble-30 --ecus 1
              obd-agent read --adapter tcp:127.0.0.1:35000        (in another terminal)
            """,
        version: AgentVersion.current
    )

    @Option(
        name: .long,
        help: "Listen on HOST:PORT; port 0 takes a free port (default without --pty and --ble: 127.0.0.1:35000)."
    )
    var tcp: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Run this many agents instead, each in a simulated vehicle of its own, with the broker of --config.",
            valueName: "count"
        )
    )
    var fleet: Int?

    @Option(name: .long, help: "The number of the first vehicle of --fleet, so that several processes form one fleet.")
    var first = 1

    @OptionGroup var common: ConfigurationOptions

    @Flag(name: .long, help: "Offer a pseudo terminal, which other programs open as a serial device.")
    var pty = false

    @Flag(name: .long, help: "Be a Bluetooth LE peripheral, through BlueZ, for any central in reach.")
    var ble = false

    @Option(name: .long, help: "The Bluetooth controller for --ble.")
    var controller = "hci0"

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The kind of vehicle: \(VehicleModel.all.map(\.name).joined(separator: ", ")).",
            valueName: "name"
        ),
        completion: .list(VehicleModel.all.map(\.name))
    )
    var vehicle = VehicleModel.combustion.name

    @Option(
        name: .long,
        help: "The vehicle's bus: 1 to 9 or A, or a name such as can-11-500 or j1939 (default: that of --vehicle)."
    )
    var `protocol`: String?

    @Option(name: .long, help: "The diagnostic services: j1979, or uds for OBD on UDS (SAE J1979-2, CAN only).")
    var dialect = "j1979"

    @Option(
        name: .long,
        help: ArgumentHelp("The severity byte of the codes of --dialect uds, such as 44.", valueName: "hex")
    )
    var severity: String?

    @Option(name: .long, help: "Confirmed codes, separated by commas.")
    var codes = ""

    @Option(name: .long, help: "Pending codes, separated by commas.")
    var pending = ""

    @Option(name: .long, help: "Permanent codes, separated by commas.")
    var permanent = ""

    @Option(name: .long, help: "The number of ECUs that answer: 1 (engine), 2 (and gearbox) or 3 (and brakes).")
    var ecus = 2

    @Flag(name: .long, help: "Run the test of service 08, an EVAP leak test, while the engine is off.")
    var obeysControl = false

    @Flag(name: .long, help: "Accept service 04, which clears the codes, also while the engine runs.")
    var clearsRunning = false

    @Option(name: .long, help: "The ECUs that refuse service 04: engine, transmission, brakes, separated by commas.")
    var keepsCodes = ""

    @Flag(name: .long, help: "Keep the adapter's settings from one TCP client to the next, as with power all the time.")
    var keepsPower = false

    @Option(name: .long, help: "The vehicle, by a number: its VIN and its trips.")
    var seed: UInt64 = 1

    @Option(
        name: .long,
        help:
            "The vehicle identification number (default: by the seed). Electric vehicles report it only to a request to one ECU (22 F1 90, the Leaf 21 81)."
    )
    var vin: String?

    @Option(name: .long, help: "The length of a trip, in seconds.")
    var trip = 600.0

    @Option(
        name: .long,
        help:
            "The standstill with the engine off after each trip, in seconds. The ECUs of an electric vehicle stay awake for so long."
    )
    var pause = 60.0

    @Option(
        name: .long,
        help:
            "The time after each pause for which the vehicle is parked with its ignition off, in seconds. At the end the number of requests in each state is printed."
    )
    var parking = 0.0

    @Option(name: .long, help: "The charge of an electric vehicle or a plug-in hybrid in each round, in seconds.")
    var charge = 300.0

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The state of charge that the trip takes and the charge gives back, 0 to 90 (default: by the distance).",
            valueName: "percent"
        )
    )
    var chargeUse: Double?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The kind of adapter: \(Personality.all.map(\.name).joined(separator: ", ")).",
            valueName: "name"
        )
    )
    var personality = "genuine-1.5"

    @Option(
        name: .long,
        help: ArgumentHelp("Faults of the adapter, by number, separated by commas.", valueName: "numbers")
    )
    var quirk: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Take as long as a real link: \(LinkTiming.all.map(\.name).joined(separator: ", ")).",
            valueName: "name"
        )
    )
    var link: String?

    @Option(name: .long, help: "The most PIDs in a request that the ECUs answer, 1 to 6.")
    var pidLimit = 6

    @Option(name: .long, help: "For tests: count times and distances from this number on, one more in each reply.")
    var ramp: UInt16?

    @Option(
        name: .long,
        help: "For tests: append each message of an ECU, with its time, to this file.",
        completion: .file()
    )
    var log: String?

    @Flag(name: .long, help: "List vehicles, personalities, links and quirks, and exit.")
    var listQuirks = false

    static func main() async { await Self.runProgram { ($0 as? ObdSimulator)?.fleet != nil } }

    func run() async throws {
        guard !self.listQuirks else { return Self.list() }
        if let fleet = self.fleet { return try await FleetRun(of: fleet, from: self.first, self.common).run() }
        let options = try self.options()
        let server: SimulatorServer
        do {
            server = try SimulatorServer(options)
        } catch {
            throw CommandFailure(.unavailable, "\(error)")
        }
        Console.print("Vehicle  \(options.vehicle.vin)")
        if self.port != nil { Console.print("Adapter  \(server.address)") }
        if let terminal = server.terminal { Console.print("Adapter  serial:\(terminal)") }
        let peripheral = try await self.peripheral(server.vehicle)
        try StandardOutput.check()
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await withThrowingTaskGroup { group in
            group.addTask { try await server.run() }
            if let peripheral { group.addTask { try await peripheral.run() } }
            group.addTask { for await _ in signals { break } }
            try await group.next()
            group.cancelAll()
        }
        guard self.parking > 0 else { return }
        let requests = server.vehicle.withVehicle { $0.requests }
        Console.print(
            "Requests \(requests.engineRunning) running, \(requests.ignitionOn) ignition on, \(requests.ignitionOff) ignition off"
        )
        guard self.vehicle != VehicleModel.combustion.name else { return }
        Console.print("Of these  \(requests.charging) charging, \(requests.awake) awake, \(requests.asleep) asleep")
    }

    private var port: String? { self.tcp ?? (self.pty || self.ble ? nil : "127.0.0.1:35000") }

    private func peripheral(_ vehicle: SharedVehicle) async throws -> SimulatedPeripheral? {
        guard self.ble else { return nil }
        var options = SimulatedPeripheral.Options()
        options.controller = self.controller
        options.adapter = try self.adapter()
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
        options.vehicle = try self.vehicleOptions()
        options.vehicle.seed = self.seed
        options.vehicle.vin = SimulatedVehicle.Options.vin(ofSeed: self.seed)
        options.vehicle.trip = .milliseconds(try Self.milliseconds(self.trip, "--trip"))
        options.vehicle.pause = .milliseconds(try Self.milliseconds(self.pause, "--pause"))
        if self.parking != 0 {
            options.vehicle.parking = .milliseconds(try Self.milliseconds(self.parking, "--parking"))
        }
        guard 1...3 ~= self.ecus else { throw CommandFailure(.usage, "--ecus must be 1, 2 or 3") }
        options.vehicle.ecus = self.ecus
        options.vehicle.supportsControl = self.obeysControl
        options.vehicle.refusesToClearWhileRunning = !self.clearsRunning
        for word in self.keepsCodes.split(separator: ",") {
            guard let ecu = ECU.allCases.first(where: { "\($0)" == word }) else {
                throw CommandFailure(.usage, "--keeps-codes: \"\(word)\" is neither engine, transmission nor brakes")
            }
            options.vehicle.ecusRefusingClear.insert(ecu)
        }
        guard 1...6 ~= self.pidLimit else { throw CommandFailure(.usage, "--pid-limit must be 1 to 6") }
        options.vehicle.pidLimit = .silence(above: self.pidLimit)
        if let vin = self.vin {
            guard VIN(vin) != nil else {
                throw CommandFailure(.usage, "--vin: \"\(vin)\" is no VIN: 17 letters and digits, no I, O, Q")
            }
            options.vehicle.vin = vin
        }
        guard let dialect = ["j1979": Dialect.j1979, "uds": .j1979Part2][self.dialect],
            dialect == .j1979 || options.vehicle.bus.isCAN
        else { throw CommandFailure(.usage, "--dialect must be j1979 (default) or uds (CAN only)") }
        options.vehicle.dialect = dialect
        if let text = self.severity {
            guard text.utf8.count == 2, let byte = UInt8(text, radix: 16) else {
                throw CommandFailure(.usage, "--severity: \"\(text)\" is no byte in two hexadecimal digits, such as 44")
            }
            options.vehicle.part2.severity = CodeSeverity(rawValue: byte)
        }
        try SimulatedCodes.apply(
            confirmed: self.codes,
            pending: self.pending,
            permanent: self.permanent,
            to: &options.vehicle
        )
        options.adapter = try self.adapter()
        options.offersTerminal = self.pty
        options.keepsPower = self.keepsPower
        options.log = self.log
        options.vehicle.ramp = self.ramp.map { Ramp(from: $0) }
        options.port = nil
        if let text = self.port {
            (options.host, options.port) = try Self.endpoint(text)
        }
        return options
    }

    /// Returns the options of the vehicle by its kind.
    private func vehicleOptions() throws -> SimulatedVehicle.Options {
        guard let model = VehicleModel.named(self.vehicle) else {
            let names = VehicleModel.all.map(\.name).joined(separator: ", ")
            throw CommandFailure(.usage, "--vehicle: there is no \"\(self.vehicle)\"", next: names)
        }
        var options = SimulatedVehicle.Options(model)
        options.charge = .milliseconds(try Self.milliseconds(self.charge, "--charge"))
        if let use = self.chargeUse {
            guard 0...90 ~= use else { throw CommandFailure(.usage, "--charge-use must be 0 to 90") }
            options.chargeUse = use
        }
        do {
            if let name = self.protocol {
                guard let bus = try ProtocolChoice(name).bus else {
                    throw CommandFailure(
                        .usage,
                        "--protocol must name one bus: 1 to 9, A, or a name such as can-11-500"
                    )
                }
                options.bus = bus
            }
        } catch let error as ValueError {
            throw CommandFailure(.usage, "--protocol: \(error)")
        }
        guard model.powertrain == .combustion || options.bus == model.bus else {
            throw CommandFailure(
                .usage,
                "--vehicle \(self.vehicle) has another bus than --protocol",
                next: "without --protocol."
            )
        }
        return options
    }

    private func adapter() throws -> SimulatedAdapter.Options {
        guard let personality = Personality.named(self.personality) else {
            throw CommandFailure(.usage, "--personality: there is no \"\(self.personality)\". Try: --list-quirks")
        }
        var options = SimulatedAdapter.Options()
        personality.apply(to: &options)
        if let name = self.link {
            guard let link = LinkTiming.named(name) else {
                throw CommandFailure(.usage, "--link: there is no \"\(name)\". Try: --list-quirks")
            }
            options.link = link
        }
        for word in self.quirk.flatMap({ $0.split(separator: ",") }) {
            guard let number = Int(word), Quirk.all.contains(where: { $0.number == number }) else {
                throw CommandFailure(.usage, "--quirk: there is no quirk \"\(word)\". Try: --list-quirks")
            }
            guard Quirk.simulated.contains(number) else {
                throw CommandFailure(
                    .usage,
                    "--quirk: quirk \(number) does not show in replies, so it cannot be simulated"
                )
            }
            options.quirks.insert(number)
        }
        return options
    }

    private static func list() {
        var table = TextTable()
        for model in VehicleModel.all { table.append([model.name, model.summary]) }
        for personality in Personality.all { table.append([personality.name, personality.summary]) }
        for link in LinkTiming.all { table.append([link.name, link.summary]) }
        for quirk in Quirk.all where Quirk.simulated.contains(quirk.number) {
            table.append(["\(quirk.number)", quirk.summary])
        }
        for line in table.lines { Console.print(line) }
    }

    /// Parses HOST:PORT.
    ///
    /// Unlike in an address to connect to, the port may be 0, which takes a free one.
    private static func endpoint(_ text: String) throws -> (host: String, port: UInt16) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let port = UInt16(parts[1]) else {
            throw CommandFailure(.usage, "--tcp: \"\(text)\" is not HOST:PORT, such as 127.0.0.1:35000")
        }
        return (String(parts[0]), port)
    }

    private static func milliseconds(_ seconds: Double, _ option: String) throws -> Int64 {
        guard 1...86_400 ~= seconds else { throw CommandFailure(.usage, "\(option) must be 1 to 86400 seconds") }
        return Int64(seconds * 1000)
    }
}
