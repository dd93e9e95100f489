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

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks configuration, broker, adapter, vehicle, gpsd and machine, and prints the next steps.",
        discussion: """
            Changes nothing in the vehicle. If [vehicle] name is set, the command publishes one message to the \
            vehicle's responses/obd-check-…, to see whether the broker accepts it. The adapter serves one program at a \
            time: while the agent runs, the command reports the agent's own state of adapter and vehicle. Run it as root, \
            to check with the rights of the service.

            With --running the command contacts nothing, and reports the state of the running agent at once. The exit \
            code is 0 if this agent has reached all that the version before it had reached when it ended: broker, adapter, \
            vehicle, and the database on the disk. RAUC or Mender can repeat it until it succeeds or their timeout is over.
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Only report the state of the running agent.")
    var running = false

    func run() async throws {
        if self.running { return try self.checkRunning() }
        let run = "obd-agent run --config \(self.options.config)"
        try await self.check(next: MachineCheck.hasSystemd ? "sudo systemctl restart obd-agent" : run)
    }

    /// - Parameter next: the next step if the agent can run; nil if the caller tells it.
    func check(next: String?) async throws {
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try self.options.read()
        } catch {
            let manual = "correct it; man obd-agent.toml lists every key"
            try self.finish([self.show(CheckResult("configuration", .failed, "\(error)", next: manual))], next: nil)
            throw ExitCode(ExitStatus.configuration.rawValue)
        }
        var results = [self.show(Self.configuration(configuration, self.options.config))]
        results.append(self.show(Self.credentials(configuration)))
        if let result = Self.signalSets(configuration) { results.append(self.show(result)) }
        if configuration.mqtt.servers.isEmpty {
            let text = "none is configured, so all data stays on this machine"
            results.append(self.show(CheckResult("broker", .ok, text)))
        }
        for server in configuration.mqtt.servers {
            if !self.json { Console.progress("connecting to \(server)") }
            results.append(self.show(await BrokerCheck.result(server, configuration)))
        }
        results += await self.checkAdapter(configuration)
        if let result = await GPSDCheck.result(configuration.position.gpsd) { results.append(self.show(result)) }
        results += MachineCheck.results(configuration).map { self.show($0) }
        try self.finish(results, next: next, HoldingAgent(of: configuration, in: self.options.config))
        guard CheckReport(results).verdict != .failed else { throw ExitCode(ExitStatus.unavailable.rawValue) }
    }

    /// Tells the state of the agent that runs, without asking anything but its health file.
    private func checkRunning() throws {
        guard let agent = RunningAgent.found else {
            let next = "systemctl status obd-agent; root, and the group obd-agent, may read its state"
            try self.finish(
                [self.show(CheckResult("agent", .failed, "it does not run as a service", next: next))],
                next: nil
            )
            throw ExitCode(ExitStatus.unavailable.rawValue)
        }
        let results = [agent.result] + AgentHealth.Part.allCases.map { agent.result(of: $0) }
        try self.finish(results.map { self.show($0) }, next: nil)
        guard agent.asBefore else { throw ExitCode(ExitStatus.unavailable.rawValue) }
    }

    /// Prints a result at once, for a user who waits.
    private func show(_ result: CheckResult) -> CheckResult {
        if !self.json { result.lines.forEach(Console.print) }
        return result
    }

    private func finish(_ results: [CheckResult], next: String?, _ agent: HoldingAgent? = nil) throws {
        let report = CheckReport(results, agent: .found)
        if self.json { return try JSONOutput.print(report) }
        guard !self.running else { return }
        switch report.verdict {
        case .failed:
            Console.print("\(agent?.sentence ?? "The agent cannot run yet.") Next: correct what failed.")
        case .warning, .ok, .skipped:
            let step = next.map { agent?.next ?? $0 }
            Console.print((agent?.sentence ?? "The agent can run.") + (step.map { " Next: \($0)" } ?? ""))
        }
    }

    /// Checks whether other users can read a PIN in the configuration.
    static func configuration(_ configuration: Configuration, _ file: String) -> CheckResult {
        guard let exposed = configuration.exposedPINFile else { return CheckResult("configuration", .ok, file) }
        let text = "\(file)\nevery local user can read [adapter] pin in \(exposed)"
        let next = "sudo chown root:obd-agent \(exposed) && sudo chmod 640 \(exposed)"
        return CheckResult("configuration", .warning, text, next: next)
    }

    /// Checks whether the files with credentials can be read.
    static func credentials(_ configuration: Configuration) -> CheckResult {
        let mqtt = configuration.mqtt
        let files = [
            ("password_file", mqtt.passwordFile), ("ca_file", mqtt.caFile), ("certificate_file", mqtt.certificateFile),
            ("key_file", mqtt.keyFile),
        ]
        var named = files.compactMap { name, path in path.map { ("[mqtt] \(name)", $0) } }
        if let path = configuration.commands.trustedKeys { named.append(("[commands] trusted_keys", path)) }
        let unreadable = named.filter { TextFile.bytes(of: $0.1, limit: 1)?.isEmpty != false }
        guard unreadable.isEmpty else {
            let lines = unreadable.map { "\($0.0): \($0.1) can't be read, or is empty" }
            let next = "let the user obd-agent read it, or use a credential; then check again with sudo"
            return CheckResult("credentials", .failed, lines.joined(separator: "\n"), next: next)
        }
        let text = named.isEmpty ? "none are needed" : "\(named.count.counted("file")) can be read"
        return CheckResult("credentials", .ok, text)
    }

    /// Checks whether the catalog has signal sets to choose from; nil if the agent chooses none.
    static func signalSets(_ configuration: Configuration) -> CheckResult? {
        guard configuration.detectsSets else { return nil }
        let sources = LocalCatalog(paths: configuration.catalog).sources
        let count = sources.reduce(0) { $0 + ($1.count ?? 0) }
        let place = configuration.catalog.joined(separator: ", ")
        guard count > 0 else {
            let next = "install the package obd-signals, or correct [parameters] catalog; obd-agent parameters models"
            return CheckResult("signal sets", .warning, "none in \(place), so the agent detects no model", next: next)
        }
        return CheckResult("signal sets", .ok, "detected for each vehicle, among \(count.counted("set")) in \(place)")
    }

    // MARK: - Adapter

    private func checkAdapter(_ configuration: Configuration) async -> [CheckResult] {
        var results: [CheckResult] = []
        if case .ble = configuration.adapter.address {
            results.append(self.show(await Self.bluetooth()))
            guard results[0].verdict == .ok else { return results }
        }
        if let holder = HoldingAgent(of: configuration, in: self.options.config) {
            // The state that is found is that of the service, not that of an agent that a user has started.
            if holder.isService || RuntimeDirectory.own != nil, let agent = RunningAgent.found {
                return results + [.adapter, .vehicle].map { self.show(agent.result(of: $0)) }
            }
            let next = "\(holder.stop), and check again"
            return results + [self.show(CheckResult("adapter", .skipped, "in use: \(holder.lock)", next: next))]
        }
        do {
            let adapter = try AdapterOptions.parse(["--config", self.options.config])
            try await adapter.withVehicle { reader in
                let report = reader.report
                let text = "\(configuration.adapter.address), \(report?.identity ?? "")"
                results.append(self.show(CheckResult("adapter", .ok, text)))
                results.append(self.show(CheckResult("vehicle", .ok, "answers on \(report?.bus.title ?? "")")))
            }
        } catch {
            let failure = error as? CommandFailure
            let next =
                failure.map(\.next)
                ?? "plug the adapter in, and switch the ignition on; obd-agent scan lists the adapters in reach"
            results.append(self.show(CheckResult("adapter", .failed, failure?.problem ?? "\(error)", next: next)))
        }
        return results
    }

    /// Checks whether this machine can connect to an adapter over Bluetooth LE.
    private static func bluetooth() async -> CheckResult {
        do throws(BluetoothError) {
            let scanner = try await BLEScanner { _ in false }
            scanner.close()
            return CheckResult("bluetooth", .ok, "\(scanner.controller.split(separator: "/").last ?? "") is on")
        } catch {
            return CheckResult("bluetooth", .failed, "\(error)", next: error.nextStep)
        }
    }
}
