// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Agent
import ArgumentParser
import Base
import CommandLine
import Contract
import EventLoop

struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Lists the Bluetooth LE adapters in reach, and tries whether they answer.",
        discussion: """
            A device counts as an adapter only if it answers as one; until then its name and services are hints. An \
            adapter serves one program at a time: close apps on phones, and stop the agent, before the scan.
            """
    )

    @Option(name: .shortAndLong, help: "The time to listen, in seconds.")
    var time = 10

    @Flag(name: .long, help: "Also list devices that do not look like adapters. They are not tried.")
    var all = false

    @Flag(name: .long, help: "Only listen; connect to none.")
    var passive = false

    func validate() throws {
        guard 1...300 ~= self.time else { throw ValidationError("--time must be 1 to 300 seconds") }
    }

    func run() async throws {
        do {
            let scanner = try await BLEScanner(probe: AdapterOpener.probe(SystemClock(trustsSystem: true)))
            defer { scanner.close() }
            Console.progress("listening for \(self.time) seconds")
            let devices = try await scanner.listen(for: .seconds(self.time)) { device in
                if self.all || device.likelihood > 0 { Console.print(Self.line(device, "")) }
            }
            let likely = devices.filter { $0.likelihood > 0 }
            guard !likely.isEmpty else { throw BluetoothError.notFound(nil) }
            if !self.passive { try await self.attempt(likely, scanner) }
        } catch let error as BluetoothError {
            throw CommandFailure(.unavailable, "\(error)", next: error.nextStep)
        }
    }

    /// Connects to devices one after the other, prints what comes of it, and returns those that are adapters.
    static func adapters(among devices: [Advertisement], _ scanner: BLEScanner) async -> [Advertisement] {
        var adapters: [Advertisement] = []
        for device in devices {
            Console.progress("asking \(device.address)")
            switch await scanner.attempt(device) {
            case .adapter:
                adapters.append(device)
                Console.print(Self.line(device, "answers as an ELM327"))
            case .failed(let error):
                Console.print(Self.line(device, "\(error)"))
            }
        }
        return adapters
    }

    private func attempt(_ devices: [Advertisement], _ scanner: BLEScanner) async throws {
        guard let best = await Self.adapters(among: devices, scanner).first else {
            throw CommandFailure(
                .unavailable,
                "no device in reach answers as an ELM327 adapter",
                next: "plug the adapter in, switch the ignition on, and close apps on phones that may hold it."
            )
        }
        for line in ["", "For the configuration:", "", "[adapter]", "address = \"ble:\(best.address)\""] {
            Console.print(line)
        }
    }

    /// Returns the line of a device.
    ///
    /// The name is in quotes, and quotes in it are replaced, so that it cannot imitate the columns after it.
    static func line(_ device: Advertisement, _ verdict: String) -> String {
        let name = device.name.map { "\"\(Printable.text($0.replacing("\"", with: "'"), limit: 64))\"" } ?? "(no name)"
        let parts = [
            "\(device.address)", device.rssi.map { "\($0) dBm" } ?? "       ",
            name + String(repeating: " ", count: max(0, 20 - name.count)), device.profile?.name ?? "", verdict,
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "  ")
    }
}
