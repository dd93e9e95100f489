// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Agent
import ArgumentParser
import Base
import CommandLine
import EventLoop
import Glibc

struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Asks five questions, writes the configuration, checks it, and starts the service.",
        discussion: """
            The questions: the adapter, the broker, the user there, the password, the name of the vehicle. Each \
            answer is also an option, and what an option answers is not asked. Nothing is changed before the last \
            yes. Without a terminal, or with --yes, nothing is asked.

            The configuration begins as the sample; of a present one only the answered keys change, and the file as \
            it was stays beside it as agent.toml.old-1. The password becomes a credential that only root can read.

            Examples:
              sudo obd-agent setup
              obd-agent setup --dry-run
              sudo obd-agent setup --yes --adapter ble --local-broker
              sudo obd-agent setup --yes --adapter ble --no-broker
              sudo obd-agent setup --yes --adapter ble --broker mqtt://homeassistant.local:1883 \\
                  --username obd --password-file /root/password
            """
    )

    @Option(help: "The adapter's address: ble, ble:AA:BB:CC:DD:EE:FF, rfcomm:…, tcp:HOST:PORT, serial:/dev/ttyUSB0.")
    var adapter: String?

    @Option(help: "The broker: mqtts://HOST, or mqtt://HOST in a private network.")
    var broker: String?

    @Flag(help: "Set up the Mosquitto of this machine as the broker, for programs of this machine.")
    var localBroker = false

    @Flag(help: "Use no broker: all data stays on this machine, for watch, export and the like.")
    var noBroker = false

    @Option(help: "The user at the broker; an empty text for none.")
    var username: String?

    @Option(help: "The file with the user's password; - reads it from standard input. A local broker needs none.")
    var passwordFile: String?

    @Option(help: "The vehicle's name in its topics; without it, its VIN.")
    var name: String?

    @Option(help: "The file to begin with if there is no configuration, such as the package's fleet.toml.")
    var sample: String?

    @Flag(help: "Do not ask: write, and start the service.")
    var yes = false

    @Flag(help: "Do not start the service.")
    var noStart = false

    @Flag(help: "Show what would be written and run, and change nothing.")
    var dryRun = false

    @Option(help: "The folder of another system, such as a mounted card. Nothing is checked or started then.")
    var root: String?

    private static let path = ConfigurationOptions.defaultPath

    func run() async throws {
        try self.checkOptions()
        let root = self.root.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? ""
        guard geteuid() == 0 || self.dryRun || !root.isEmpty else {
            throw CommandFailure(
                .noPermission,
                "setup writes below /etc, so only root can run it",
                next: "sudo obd-agent setup"
            )
        }
        let facts = try SetupFacts.read(root: root, configuration: Self.path, sample: self.sample)
        if self.localBroker, let problem = facts.mosquitto.problem {
            throw CommandFailure(.unavailable, problem.text, next: problem.next)
        }
        var dialogue = SetupDialogue(facts, given: try self.given(facts))
        let asks = !self.yes && SetupTerminal.isThere
        let plan: SetupPlan
        if asks {
            SetupTerminal.endsAtInterrupt()
            do {
                plan = try await Self.ask(&dialogue, facts)
            } catch is SetupTerminal.Cancelled {
                throw CommandFailure(.notConfirmed, "nothing was changed")
            }
        } else {
            let missing = dialogue.missingOptions + (self.yes || self.dryRun ? [] : ["--yes"])
            guard missing.isEmpty else {
                let reason = self.yes ? "--yes asks no questions" : "standard input is no terminal"
                throw CommandFailure(
                    .usage,
                    "an answer is missing, and \(reason)",
                    next: missing.joined(separator: ", ")
                )
            }
            plan = try SetupPlan(dialogue.unasked(), facts, random: Self.randomPassword)
        }
        try await self.perform(plan, facts, asks: asks)
    }

    /// Shows the plan, performs it if the user agrees, checks the result, and starts the service.
    private func perform(_ plan: SetupPlan, _ facts: SetupFacts, asks: Bool) async throws {
        Console.print("")
        plan.lines.forEach(Console.print)
        if self.dryRun { return Console.print("Nothing was changed.") }
        if plan.isEmpty {
            guard facts.root.isEmpty, !asks || Console.isConfirmed("Type yes to check it:") else { return }
        } else {
            guard !asks || Console.isConfirmed("Type yes to do this:") else {
                throw CommandFailure(.notConfirmed, "nothing was changed")
            }
            SetupTerminal.ignoresInterrupt()
            try SetupPerformer.performBroker(plan)
            try SetupPerformer.perform(plan.agent)
        }
        SetupTerminal.obeysInterrupt()
        guard facts.root.isEmpty else {
            return Console.print("Written below \(facts.root). The agent starts with that system.")
        }
        Console.print("")
        var problem: ExitCode?
        do {
            let check = try CheckCommand.parse(["--config", Self.path])
            try await check.check(next: nil)
        } catch let code as ExitCode {
            problem = code
        }
        try self.start(plan, asks: asks, hasProblem: problem != nil)
        if let problem { throw problem }
    }

    private func start(_ plan: SetupPlan, asks: Bool, hasProblem: Bool) throws {
        guard !self.noStart else { return }
        guard !plan.service.isEmpty else {
            Console.print("systemd does not run here. Next, as root:")
            return plan.commands.forEach { Console.print("  \($0)") }
        }
        let question =
            hasProblem
            ? "Something failed. The agent tries adapter and broker again by itself. Type yes to start it all the same:"
            : "Type yes to start the service now, and at each boot:"
        guard !asks || Console.isConfirmed(question) else {
            return Console.print("Not started. Next: sudo systemctl enable --now obd-agent")
        }
        try SetupPerformer.perform(plan.service)
        Console.print("The service runs. Next: sudo obd-agent watch")
    }

    // MARK: - Answers

    /// Asks until the broker accepts the answers, or the user gives refused ones again.
    private static func ask(_ dialogue: inout SetupDialogue, _ facts: SetupFacts) async throws -> SetupPlan {
        var step = dialogue.begin()
        var refused: SetupAnswers?
        while true {
            switch step {
            case .ask(let question): step = dialogue.answered(try SetupTerminal.ask(question))
            case .scan: step = dialogue.scanned(await Self.scan())
            case .finished(let answers):
                let plan = try SetupPlan(answers, facts, random: Self.randomPassword)
                guard answers != refused, let trial = plan.trial else { return plan }
                Console.progress("connecting to the broker")
                let outcome = await BrokerCheck.outcome(of: trial)
                guard outcome.isRefused else {
                    if outcome.result.verdict == .failed { outcome.result.lines.forEach(Console.printError) }
                    return plan
                }
                refused = answers
                step = dialogue.refused("\(outcome.result.text). To keep these answers, give them again")
            }
        }
    }

    private static func scan() async -> SetupDialogue.Scan {
        do throws(BluetoothError) {
            let scanner = try await BLEScanner(probe: AdapterOpener.probe(SystemClock(trustsSystem: true)))
            defer { scanner.close() }
            Console.progress("listening for 10 seconds")
            let devices = try await scanner.listen(for: .seconds(10)) { _ in }
            let adapters = await ScanCommand.adapters(among: devices.filter { $0.likelihood > 0 }, scanner)
            let found = adapters.map {
                SetupDialogue.FoundAdapter(
                    address: "ble:\($0.address)",
                    description: ScanCommand.line($0, "answers as an ELM327")
                )
            }
            let next = "plug the adapter in, switch the ignition on, and close apps on phones that may hold it"
            return SetupDialogue.Scan(
                adapters: found,
                problem: "no device in reach answers as an adapter. Try: \(next)"
            )
        } catch {
            return SetupDialogue.Scan(adapters: [], problem: "\(error). Try: \(error.nextStep)")
        }
    }

    /// Returns a password of 100 random bits.
    private static func randomPassword() -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        return String((0..<20).map { _ in letters[Int.random(in: letters.indices)] })
    }
}
