// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Agent
import ArgumentParser
import Configuration
import ELM327
import MQTT
import Timing

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Tries configuration, broker and adapter, and tells what to do next.",
        discussion: """
            Changes nothing: not on the broker, not in the vehicle. The adapter serves one program at a time, so stop \
            the agent first.
            """
    )

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration: Configuration
        do {
            configuration = try self.options.load()
        } catch {
            Self.report("configuration", false, "\(error)")
            throw ExitCode(ExitStatus.configuration.rawValue)
        }
        Self.report("configuration", true, self.options.config)
        let isBrokerFine = try await self.checkBroker(configuration)
        let isAdapterFine = await self.checkAdapter(configuration)
        guard isBrokerFine && isAdapterFine else {
            throw ExitCode(ExitStatus.unavailable.rawValue)
        }
        Console.print("Everything answers. Next: obd-agent run --config \(self.options.config)")
    }

    private static func report(_ part: String, _ isFine: Bool, _ text: String) {
        let name = part + String(repeating: " ", count: max(0, 13 - part.count))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
        Console.print("\(isFine ? "ok  " : "FAIL")  \(name)  \(lines.first ?? "")")
        for line in lines.dropFirst() { Console.print("                     \(line)") }
    }

    private func checkBroker(_ configuration: Configuration) async throws -> Bool {
        let password: String?
        do {
            password = try configuration.mqtt.password()
        } catch {
            Self.report("broker", false, "\(error)")
            return false
        }
        var isFine = false
        for server in configuration.mqtt.servers {
            Console.progress("connecting to \(server)")
            let failure = await Self.failure(
                to: MQTT.Server(server, configuration.mqtt),
                configuration.mqtt.username,
                password
            )
            if let failure {
                Self.report("broker", false, "\(server): \(failure)\nTry: \(failure.nextStep)")
            } else {
                Self.report("broker", true, "\(server)")
                isFine = true
            }
        }
        return isFine
    }

    /// Connects once, and tells why that failed.
    private static func failure(to server: MQTT.Server, _ username: String?, _ password: String?) async -> MQTTError? {
        let options = ConnectionOptions(
            server: server,
            clientID: "obd-check-\(UInt32.random(in: 0 ... .max))",
            username: username,
            password: password
        )
        do {
            let connection = try MQTTConnection(options)
            for await event in connection.events {
                switch event {
                case .connected:
                    await connection.disconnect()
                    return nil
                case .disconnected(let error): return error
                case .acknowledged, .rejected, .subscribed: continue
                }
            }
            return .notConnected
        } catch {
            return error
        }
    }

    private func checkAdapter(_ configuration: Configuration) async -> Bool {
        if case .ble = configuration.adapter.address, await !self.checkBluetooth() { return false }
        do {
            let adapter = try AdapterOptions.parse(["--config", self.options.config])
            try await adapter.withVehicle { reader in
                let report = reader.report
                Self.report("adapter", true, "\(configuration.adapter.address), \(report?.identity ?? "")")
                Self.report("vehicle", true, "answers on \(report?.bus.title ?? "")")
            }
            return true
        } catch {
            Self.report("adapter", false, "\(error)")
            return false
        }
    }
}

extension CheckCommand {
    /// What an adapter over Bluetooth LE needs of this machine.
    private func checkBluetooth() async -> Bool {
        do throws(BluetoothError) {
            let scanner = try await BLEScanner { _ in false }
            scanner.close()
            Self.report("bluetooth", true, "\(scanner.controller.split(separator: "/").last ?? "") is on")
            return true
        } catch {
            Self.report("bluetooth", false, "\(error)\nTry: \(error.nextStep)")
            return false
        }
    }
}

extension MQTTError {
    /// What somebody can do about it.
    fileprivate var nextStep: String {
        switch self {
        case .cannotConnect: "does the broker run, and is [mqtt] url right? A firewall may be in between."
        case .tls: "is [mqtt] ca_file the authority of the broker's certificate, and the host name the certificate's?"
        case .refused(.badCredentials), .refused(.notAuthorised): "[mqtt] username and password_file"
        default: "the broker's log tells more."
        }
    }
}
