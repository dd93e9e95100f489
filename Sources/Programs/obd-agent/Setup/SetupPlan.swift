// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Base
import CommandLine
import Configuration

/// All that `setup` will do, as a value: nothing happens before the user has seen it.
struct SetupPlan: Equatable, Sendable {
    /// A connection that is tried before anything is written.
    struct Trial: Equatable, Sendable {
        var configuration: Configuration
        /// The typed password; nil for that of the configuration's file.
        var password: String?
    }

    /// The steps for a Mosquitto on this machine; if one fails, ``brokerUndo`` follows.
    var broker: [SetupStep] = []
    /// The files that a failure of ``broker`` removes again.
    var brokerFiles: [String] = []
    /// The steps after those files are removed.
    var brokerUndo: [SetupStep] = []
    /// The configuration, the credential and the drop-in.
    var agent: [SetupStep] = []
    /// The start of the service; empty without systemd.
    var service: [SetupStep] = []
    /// The commands in place of ``service`` without systemd.
    var commands: [String] = []
    /// The broker with the answered user; nil if that is as before, or if only this plan sets the broker up.
    var trial: Trial?

    static let credentialName = "mqtt-password"
    static let credentialFolder = "/etc/credstore"
    static let brokerURL = "mqtt://127.0.0.1:1883"
    static let brokerConfiguration = "/etc/mosquitto/conf.d/obd-agent.conf"
    static let brokerPasswords = "/etc/mosquitto/obd-agent.passwords"
    private static let brokerMain = "/etc/mosquitto/mosquitto.conf"
    /// The folder of the pid_file in Debian's `brokerMain`.
    private static let brokerRuntime = "/run/mosquitto"
    private static let unitFolder = "/etc/systemd/system/obd-agent.service.d"
    private static let dropIns = ["/usr/share/obd-agent/drop-ins", "/usr/local/share/obd-agent/drop-ins"]

    /// - Parameter random: makes the password of a local broker for which the user typed none.
    /// - Throws: a failure if the answers and the present configuration do not go together.
    init(_ answers: SetupAnswers, _ facts: SetupFacts, random: () -> String) throws {
        let answers = facts.changes(of: answers)
        var password = answers.password?.isEmpty == false ? answers.password : nil
        var connection = ConfigurationText.Connection(adapter: answers.adapter, name: answers.name)
        switch answers.broker {
        case .url(let url): connection.broker = .url(url)
        case .absent: connection.broker = .none
        case .local:
            connection.broker = .url(Self.brokerURL)
            password = password ?? random()
        case nil: break
        }
        let file = "credential:\(Self.credentialName)"
        var user = facts.present?.mqtt.username
        switch facts.hasBroker(answers) ? answers.user : .none {
        case .unchanged: if password != nil { connection.user = .kept(passwordFile: file) }
        case .none: (connection.user, password) = (.none, nil)
        case .named(let name):
            connection.user = .named(name, passwordFile: password == nil ? nil : file)
            user = name
        }
        if answers.broker == .local, let user, let password { self.planBroker(user, password, facts) }
        var text = ConfigurationText(facts.base)
        text.adopt(connection)
        let configuration = try Self.check(text, connection, facts)
        self.planAgent(text, password, facts)
        self.planDropIn(for: configuration.adapter.address, facts)
        let isOther = facts.hasBroker(answers) && (connection.broker != .unchanged || connection.user != .unchanged)
        if self.broker.isEmpty, isOther, facts.root.isEmpty {
            self.trial = Trial(configuration: configuration, password: password)
        }
        guard !facts.hasSystemd else {
            self.service = [.run(["systemctl", "enable", "obd-agent"]), .run(["systemctl", "restart", "obd-agent"])]
            return
        }
        if !self.broker.isEmpty {
            // Where systemd does not run, nothing makes the folder of Debian's pid_file, and Mosquitto ends without it.
            if !facts.existing(Self.brokerRuntime) {
                self.commands.append("install -d -o mosquitto \(Self.brokerRuntime)")
            }
            self.commands.append("mosquitto -d -c \(Self.brokerMain)")
        }
        // The agent makes a directory that the configuration names, but systemd that of a service.
        if configuration.store.directory == nil, !facts.existing(StateDirectory.own) {
            self.commands.append("install -d -m 700 \(StateDirectory.own)")
        }
        self.commands.append("obd-agent run --config \(facts.configurationPath)")
    }

    /// Whether nothing would be written.
    var isEmpty: Bool { self.broker.isEmpty && self.agent.isEmpty }

    /// All steps in words.
    var lines: [String] {
        (self.isEmpty ? ["Nothing to change: the configuration has these answers already."] : [])
            + (self.broker + self.agent).flatMap(\.lines)
            + self.service.flatMap(\.lines).map { "\($0)  (you are asked first)" }
    }

    // MARK: - Parts

    private mutating func planBroker(_ user: String, _ password: String, _ facts: SetupFacts) {
        let configuration = facts.path(Self.brokerConfiguration)
        let passwords = facts.path(Self.brokerPasswords)
        let isNew = !facts.existing(passwords)
        let lines = [
            "# Written by obd-agent setup: a broker for the programs of this machine. For those of the whole private",
            "# network too, write \"listener 1883\" instead; a public network needs TLS, see docs/tasks/set-up-broker.md.",
            "listener 1883 127.0.0.1", "allow_anonymous false", "password_file \(Self.brokerPasswords)",
        ]
        if !facts.existing(configuration) {
            self.broker.append(
                .write(SetupFile(path: configuration, text: lines.joined(separator: "\n") + "\n", shown: lines))
            )
            self.brokerFiles.append(configuration)
        }
        // The program asks twice. On the command line every user of this machine could see the password.
        self.broker += [
            .run(
                ["mosquitto_passwd"] + (isNew ? ["-c"] : []) + [passwords, user],
                input: "\(password)\n\(password)\n"
            ),
            .run(["chown", "mosquitto:", passwords]), .run(["chmod", "600", passwords]),
        ]
        if isNew { self.brokerFiles.append(passwords) }
        guard facts.hasSystemd else { return }
        self.broker.append(.run(["systemctl", "restart", "mosquitto"]))
        self.brokerUndo = [.run(["systemctl", "restart", "mosquitto"])]
    }

    private mutating func planAgent(_ text: ConfigurationText, _ password: String?, _ facts: SetupFacts) {
        if let password {
            let folder = facts.path(Self.credentialFolder)
            let file = "\(folder)/obd-agent.\(Self.credentialName)"
            self.planFolder(folder, mode: 0o700, facts)
            self.agent += [
                .write(
                    SetupFile(
                        path: file,
                        text: password + "\n",
                        mode: 0o600,
                        copy: facts.existing(file) ? facts.copyName(of: file) : nil,
                        shown: ["(the password)"]
                    )
                )
            ]
        }
        guard !facts.isConfigured || !text.changes.isEmpty else { return }
        let path = facts.path(facts.configurationPath)
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        self.planFolder("/\(folder)", mode: 0o755, facts)
        self.agent += [
            .write(
                SetupFile(
                    path: path,
                    text: text.text,
                    copy: facts.existing(path) ? facts.copyName(of: path) : nil,
                    shown: ["(\(facts.baseName ?? "an empty file"), with these keys)"] + text.changes
                )
            )
        ]
    }

    private mutating func planFolder(_ path: String, mode: UInt32, _ facts: SetupFacts) {
        if !facts.existing(path) { self.agent.append(.makeFolder(path, mode: mode)) }
    }

    /// Adds the drop-in without which the service's sandbox hides the adapter.
    private mutating func planDropIn(for address: AdapterAddress, _ facts: SetupFacts) {
        let name: String
        switch address {
        case .serial: name = "serial.conf"
        case .rfcomm: name = "rfcomm.conf"
        case .can: name = "can.conf"
        case .ble, .tcp: return
        }
        let folder = facts.path(Self.unitFolder)
        guard !facts.existing("\(folder)/\(name)"),
            let target = Self.dropIns.map({ "\($0)/\(name)" }).first(where: { facts.existing(facts.path($0)) })
        else { return }
        self.planFolder(folder, mode: 0o755, facts)
        self.agent.append(.link("\(folder)/\(name)", to: target))
        if facts.hasSystemd { self.agent.append(.run(["systemctl", "daemon-reload"])) }
    }

    /// Reads the new text as the agent will read it.
    private static func check(
        _ text: ConfigurationText,
        _ connection: ConfigurationText.Connection,
        _ facts: SetupFacts
    ) throws -> Configuration {
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Configuration(
                toml: Array(text.text.utf8),
                file: facts.configurationPath,
                overlays: facts.overlays,
                host: facts.host
            )
        } catch {
            throw CommandFailure(
                .configuration,
                lines: ["With these answers the configuration would be wrong:"] + error.problems.map(\.description)
                    + ["Try: correct \(facts.baseName ?? facts.configurationPath), then setup again."]
            )
        }
        let user: (name: String?, isKnown: Bool) =
            switch connection.user {
            case .unchanged, .kept: (nil, false)
            case .none: (nil, true)
            case .named(let name, _): (name, true)
            }
        let isAdopted =
            connection.adapter.map { (try? AdapterAddress($0)) == configuration.adapter.address } ?? true
            && Self.isAdopted(connection.broker, configuration.mqtt.servers)
            && Self.isAdopted(connection.name, configuration.vehicle.name)
            && (user.isKnown ? Self.isAdopted(user.name ?? "", configuration.mqtt.username ?? "") : true)
        guard isAdopted else {
            throw CommandFailure(
                .configuration,
                "Another value than that of an answer would count: a file in \(facts.configurationPath).d sets the key too",
                next: "remove the key from that file, then setup again."
            )
        }
        return configuration
    }

    private static func isAdopted(_ broker: ConfigurationText.Connection.Broker, _ servers: [Configuration.Server])
        -> Bool
    {
        switch broker {
        case .unchanged: true
        case .none: servers.isEmpty
        case .url(let url): [try? Configuration.Server(url: url)] == servers
        }
    }

    /// Whether an answer is what the agent will read; variables such as `${hostname}` are replaced there.
    private static func isAdopted(_ answer: String?, _ value: String?) -> Bool {
        answer.map { $0.contains("${") || $0 == value } ?? true
    }
}
