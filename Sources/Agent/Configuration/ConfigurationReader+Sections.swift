// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML
import Base
import OBD2

// What each table means as a whole.
extension ConfigurationReader {
    mutating func adapter() -> Configuration.Adapter {
        var adapter = Configuration.Adapter(
            address: self.value(.adapterAddress, AdapterAddress.init) ?? .ble(nil),
            protocolChoice: self.value(.adapterProtocol, ProtocolChoice.init) ?? .automatic,
            pin: self.pin(),
            notifyUUID: self.value(.adapterNotifyUUID, Self.uuid),
            writeUUID: self.value(.adapterWriteUUID, Self.uuid)
        )
        if adapter.pin != nil { adapter.pinFile = self.place(of: Key.adapterPIN.path).file }
        if case .ble = adapter.address { return adapter }
        let keys: [(Key, String?)] = [
            (.adapterPIN, adapter.pin), (.adapterNotifyUUID, adapter.notifyUUID),
            (.adapterWriteUUID, adapter.writeUUID),
        ]
        for (key, value) in keys where value != nil { self.report(key.path, "has no effect without a ble address") }
        return adapter
    }

    /// A passkey of Bluetooth LE (Bluetooth Core, Volume 3, Part H, 2.3.5.3).
    private mutating func pin() -> String? {
        switch self.found(.adapterPIN) {
        case nil, .text(""): return nil
        case .text(let text) where 1...6 ~= text.utf8.count && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }: return text
        case .some:
            self.report(.adapterPIN, .invalidPIN)
            return nil
        }
    }

    private static func uuid(_ text: String) throws(ValueError) -> String {
        let digits = text.filter { $0 != "-" }
        guard [4, 8, 32].contains(digits.utf8.count), digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            throw .invalidUUID(text)
        }
        return text
    }

    mutating func mqtt() -> Configuration.MQTT? {
        let servers = self.servers()
        let username = self.text(.mqttUsername)
        let passwordFile = self.path(.mqttPasswordFile)
        if passwordFile != nil, username == nil {
            self.report(Key.mqttPasswordFile.path, "has no effect without username")
        }
        let caFile = self.path(.mqttCAFile)
        let certificateFile = self.path(.mqttCertificateFile)
        let keyFile = self.path(.mqttKeyFile)
        if certificateFile != nil, keyFile == nil {
            self.report(Key.mqttCertificateFile.path, "has no effect without key_file")
        }
        if keyFile != nil, certificateFile == nil {
            self.report(Key.mqttKeyFile.path, "has no effect without certificate_file")
        }
        if !servers.isEmpty, !servers.contains(where: \.tls) {
            for (key, file) in [(Key.mqttCAFile, caFile), (.mqttCertificateFile, certificateFile)] where file != nil {
                self.report(key.path, "has no effect without an mqtts:// URL")
            }
        }
        let units: Configuration.Units = self.word(.mqttUnits) ?? .metric
        do {
            return try .init(
                servers: servers,
                username: username,
                passwordFile: passwordFile,
                caFile: caFile,
                certificateFile: certificateFile,
                keyFile: keyFile,
                topicPrefix: Self.topicPrefix(self.text(.mqttTopicPrefix) ?? "obd"),
                units: units
            )
        } catch {
            self.report(.mqttTopicPrefix, error)
            return nil
        }
    }

    private mutating func servers() -> [Configuration.Server] {
        self.reportIfMissing(.mqttURL, example: "mqtts://broker.example:8883")
        let texts: [(text: String, element: Int?)] =
            if case .array = self.found(.mqttURL) {
                self.list(.mqttURL) ?? []
            } else {
                self.text(.mqttURL).map { [($0, nil)] } ?? []
            }
        let allowsPlaintext = self.flag(.mqttAllowPlaintext) ?? false
        var servers: [Configuration.Server] = []
        for (text, element) in texts {
            do throws(ValueError) {
                let server = try Configuration.Server(url: text)
                guard server.tls || server.isLocal || allowsPlaintext else { throw ValueError.plaintext("\(server)") }
                servers.append(server)
            } catch {
                self.report(.mqttURL, error, element: element)
            }
        }
        return servers
    }

    /// What is read and how often, with the custom parameters that say it themselves.
    mutating func parameters(_ custom: [CustomEntry]) -> [Configuration.ParameterInterval] {
        let wishes = custom.compactMap { entry in
            entry.interval.map { Configuration.ParameterInterval(key: .custom(entry.parameter.name), interval: $0) }
        }
        let entries = (self.table(.parameters)?.entries ?? []).filter { $0.name != Self.setsKey }
        guard !entries.isEmpty else { return Configuration.defaultParameters + wishes }
        let chosen = self.chosenParameters(entries, Set(custom.map(\.parameter.name)))
        let names = Set(chosen.map(\.key))
        return chosen + wishes.filter { !names.contains($0.key) }
    }

    private mutating func chosenParameters(
        _ entries: [Table.Entry],
        _ custom: Set<String>
    ) -> [Configuration.ParameterInterval] {
        var found: [ParameterKey: (key: String, line: Int, isField: Bool, interval: Duration)] = [:]
        for entry in entries {
            let (key, line) = (entry.name, entry.position.line)
            if custom.contains(key) {
                guard let interval = self.seconds(entry.value, at: Self.path(of: key), in: Configuration.intervals)
                else {
                    continue
                }
                found[.custom(key)] = (key, line, false, interval)
                continue
            }
            guard let parameter = Parameter.named(key) else {
                self.reportUnknownParameter(key, custom)
                continue
            }
            guard let interval = self.seconds(entry.value, at: Self.path(of: key), in: Configuration.intervals) else {
                continue
            }
            let isField = key != parameter.name && parameter.fields.contains { $0.name == key }
            guard let first = found[.pid(parameter.pid)] else {
                found[.pid(parameter.pid)] = (key, line, isField, interval)
                continue
            }
            if !isField || !first.isField {
                self.report(Self.path(of: key), "the same parameter as \(first.key) on line \(first.line); keep one")
            } else if interval != first.interval {
                let message = "read together with \(first.key) on line \(first.line); give both the same interval"
                self.report(Self.path(of: key), message)
            }
        }
        return found.sorted { $0.key < $1.key }.map { .init(key: $0.key, interval: $0.value.interval) }
    }

    mutating func commands() -> Configuration.Commands {
        let commands = Configuration.Commands(
            allow: self.allowedCommands() ?? Configuration.Commands.defaultAllow,
            rawWriting: self.flag(.commandsRawWriting) ?? false,
            engineOverride: self.flag(.commandsEngineOverride) ?? false,
            unsignedRole: self.word(.commandsUnsignedRole) ?? .observer,
            trustedKeys: self.path(.commandsTrustedKeys)
        )
        let effects: [(Key, Bool, String)] = [
            (.commandsRawWriting, commands.rawWriting, "raw_request"),
            (.commandsEngineOverride, commands.engineOverride, "clear_codes"),
        ]
        for (key, isOn, command) in effects where isOn && !commands.allow.contains(command) {
            self.report(key.path, "has no effect where allow does not name \(command)")
        }
        if commands.engineOverride, commands.trustedKeys == nil {
            self.report(Key.commandsEngineOverride.path, "has no effect without trusted_keys: who overrides must sign")
        }
        if commands.unsignedRole == .none, commands.trustedKeys == nil, !commands.allow.isEmpty {
            self.report(.commandsUnsignedRole, .nobodyMayCommand)
        } else {
            self.reportUnanswerable(commands)
        }
        return commands
    }

    private mutating func allowedCommands() -> Set<String>? {
        guard let texts = self.list(.commandsAllow) else { return nil }
        let known = Configuration.Commands.known
        for (text, element) in texts where !known.contains(text) {
            self.report(.commandsAllow, .unknownWord(text, known: known), element: element)
        }
        return Set(texts.map(\.text))
    }

    /// Whoever adds a command wants it to be obeyed.
    private mutating func reportUnanswerable(_ commands: Configuration.Commands) {
        guard commands.trustedKeys == nil else { return }
        for name in Configuration.Commands.known
        where commands.allow.contains(name) && !Configuration.Commands.defaultAllow.contains(name) {
            let isForUnsigned = Configuration.Commands.forUnsigned.contains(name)
            guard !isForUnsigned || commands.unsignedRole != .specialist else { continue }
            self.report(.commandsAllow, .nobodyMayAsk(name, isForUnsigned: isForUnsigned))
        }
    }

    mutating func uplink() -> Configuration.Uplink {
        let key = Key.uplinkBatchSeconds
        let interval = self.found(key).flatMap { self.seconds($0, at: key.path, in: 1...3600) }
        return .init(
            live: self.word(.uplinkLive) ?? .always,
            batchInterval: interval ?? .seconds(10),
            compression: self.word(.uplinkCompression) ?? .none,
            dailyBudget: self.dailyBudget()
        )
    }

    /// Less than a tenth of a MiB would not last for a day's connections.
    private mutating func dailyBudget() -> Int? {
        self.mebibytes(.uplinkDailyBudget, in: 0.1...1_048_576, zeroIsNone: true).map { Int(clamping: $0) }
    }

    private mutating func reportUnknownParameter(_ key: String, _ custom: Set<String>) {
        guard SupplyValue(rawValue: key) == nil else {
            return self.report(Self.path(of: key), "the adapter tells it by itself; it is not selected")
        }
        let names = custom.sorted() + Parameter.catalogue.flatMap { [$0.name] + $0.fields.map(\.name) }
        if let meant = Spelling.closest(to: key, in: names) {
            self.report(Self.path(of: key), "unknown parameter", suggestion: meant)
        } else {
            let message = "unknown parameter; write a name such as engine_speed, or service and PID as in 010C"
            self.report(Self.path(of: key), message)
        }
    }

    private static func path(of parameter: String) -> [String] {
        [Section.parameters.rawValue, parameter]
    }

    /// In bytes; it leaves the rest of a topic room enough in 65,535.
    static let maximumTopicPart = 128

    static func topicPrefix(_ text: String) throws(ValueError) -> Topic {
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maximumTopicPart, levels.allSatisfy({ Topic.isLevel(String($0)) }) else {
            throw .invalidPrefix(text)
        }
        do {
            return try Topic(text)
        } catch {
            throw .invalidPrefix(text)
        }
    }
}
