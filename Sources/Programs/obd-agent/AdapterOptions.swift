// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Agent
import ArgumentParser
import Base
import CommandLine
import Configuration
import ELM327
import EventLoop
import Logging
import OBD2
import Session
import SocketCAN

/// The options that choose the adapter for a single reading of a vehicle.
struct AdapterOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The adapter: ble, ble:ADDRESS, rfcomm:ADDRESS, tcp:HOST:PORT, serial:/dev/ttyUSB0, or a CAN interface, can:can0 (default: the one in the configuration).",
            valueName: "address"
        ),
        completion: .custom { _, _, _ in Self.knownAddresses }
    )
    var adapter: String?

    @Option(
        name: .long,
        help: "The vehicle's bus: auto, 1 to 9 or A, or a name such as can-11-500.",
        completion: .list(["auto"] + ProtocolChoice.names)
    )
    var `protocol` = "auto"

    @OptionGroup var configuration: ConfigurationOptions

    /// Connects, finds the vehicle, and runs `body` with its reader.
    ///
    /// SIGINT and SIGTERM end the process, within two seconds and with the adapter released.
    ///
    /// - Parameters:
    ///   - search: the requests that find a vehicle whose ECUs answer no standard request, besides those of the
    ///     configuration.
    ///   - recorder: records the dialogue with the adapter.
    ///   - failed: called with the report of an adapter whose start-up failed.
    func withVehicle<Success>(
        searching search: SearchRequests? = nil,
        recorder: TranscriptRecorder? = nil,
        failed: (AdapterReport) throws -> Void = { _ in },
        _ body: (DirectReader) async throws -> Success
    ) async throws -> Success {
        let adapter = try self.chosen()
        let clock = SystemClock(trustsSystem: true)
        let held = HeldAdapter()
        let way: Session.Way
        if case .can(let name) = adapter.address {
            // Both would answer the first frame of a long reply.
            guard !TransportReceivers.hasTester(on: name) else {
                throw CommandFailure(
                    .unavailable,
                    "another program asks the vehicle over \(adapter.address)",
                    next: "obd-agent watch, if it is the agent; or end it: sudo systemctl stop obd-agent."
                )
            }
            way = .can(name) { () throws(CANError) in try held.open(name) }
        } else {
            let open = AdapterOpener.opener(for: adapter, clock: clock, logger: Logger(label: "obd-agent"))
            way = .adapter(
                { deadline throws(LinkError) in
                    try await held.open { () throws(LinkError) in try await open(deadline) }
                },
                AdapterMemory(),
                recorder
            )
        }
        Console.progress("connecting to \(adapter.address)")
        let custom = try self.configuration.custom()
        do {
            return try await SignalTrap.holding(release: { held.release() }) {
                try await withTaskExecutorPreference(EventLoop.shared) {
                    let reader = DirectReader(way, clock: clock, custom: custom)
                    defer { reader.close() }
                    do {
                        try await reader.connect(bus: adapter.protocolChoice.bus, search) {
                            Console.progress($0.sentence)
                        }
                    } catch {
                        if let report = reader.report { try failed(report) }
                        throw error
                    }
                    return try await body(reader)
                }
            }
        } catch let error as SessionError {
            var next = adapter.address.isCAN ? error.nextStepOverCAN : error.nextStep
            if case .startUp(.noVehicle) = error, adapter.protocolChoice != .automatic, let step = next {
                let source = self.adapter == nil ? "[adapter] protocol = \"auto\"" : "--protocol auto"
                next = "\(source), because no other bus was asked; or \(step)"
            }
            throw CommandFailure(.unavailable, "\(error)", next: next)
        }
    }

    /// The addresses that a shell completes: the kinds, and the serial devices of this machine.
    private static var knownAddresses: [String] {
        let folder = "/dev/serial/by-id"
        let byName = (TextFile.names(in: folder) ?? []).map { "\(folder)/\($0)" }
        let devices = (TextFile.names(in: "/dev") ?? [])
            .filter { name in ["ttyUSB", "ttyACM", "rfcomm"].contains { name.hasPrefix($0) } }
        return ["ble", "ble:", "rfcomm:", "tcp:", "can:"]
            + (byName + devices.map { "/dev/\($0)" }).map { "serial:\($0)" }
    }

    func chosen() throws -> Configuration.Adapter {
        guard let text = self.adapter else { return try self.configuration.load().adapter }
        do {
            return Configuration.Adapter(
                address: try AdapterAddress(text),
                protocolChoice: try ProtocolChoice(self.protocol)
            )
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
    }
}

extension StartUp.Phase {
    /// The phase as a progress message.
    var sentence: String {
        switch self {
        case .resetting: "resetting the adapter"
        case .configuring: "configuring the adapter"
        case .searching(nil): "the adapter searches for the vehicle's protocol, for up to 20 seconds"
        case .searching(.some(let bus)): "asking for a vehicle on \(bus.title)"
        }
    }
}

extension LinkError {
    /// The next step of the user.
    var nextStep: String {
        if case .bluetooth(let error) = self { return error.nextStep }
        return "switch the adapter on, bring it in reach, and check its address."
    }
}

extension SessionError {
    /// The next step of a user at the vehicle.
    var nextStep: String? {
        switch self {
        case .link(let error): error.nextStep
        case .startUp(.noVehicle), .vehicleSilent:
            """
            switch the ignition on, and push the adapter in firmly. Some electric cars answer only their manufacturer's \
            requests: see docs/tasks/read-electric-car.md.
            """
        case .startUp(.notAnAdapter): "check that this is the address of an ELM327 adapter, and its baud rate."
        case .startUp(.headersIgnored): "another adapter. \"obd-agent adapter\" shows what this one does."
        case .busAsleep: "switch the ignition on. A bus behind a gateway may stay silent: see docs/tasks/use-can.md."
        case .startUp, .adapterSilent, .adapterRestarted, .settingsNotRestored, .vehicleUnidentified:
            "unplug the adapter, wait ten seconds, and plug it in again."
        case .vehicleUnexpected, .vehicleChanged, .vehicleUnproven, .parked, .standing, .lowVoltage, .noProbeLeft,
            .notConnected, .busy,
            .leaseEnded:
            nil
        }
    }

    /// The next step of a user whose vehicle is on a CAN interface; nil where the reason names the command that helps.
    var nextStepOverCAN: String? {
        switch self {
        case .link(let error) where error.description.contains("Try: "): nil
        case .link: "ip -details link show, which has the state of the interface."
        case .startUp(.protocolNotSupported): "--protocol auto."
        case .startUp, .vehicleSilent:
            "switch the ignition on. A vehicle may answer on another bus, or behind a gateway: see docs/tasks/use-can.md."
        default: self.nextStep
        }
    }
}

extension AdapterAddress {
    fileprivate var isCAN: Bool { if case .can = self { true } else { false } }
}
