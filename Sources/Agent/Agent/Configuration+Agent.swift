// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Commands
package import Configuration
import Contract
import Drive
package import ELM327
import EventLoop
import HomeAssistant
import MQTT
import OBD2
import Parking
import Session
import Store
import Uplink

/// A file that the agent needs and cannot use.
package struct AgentError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// The exit status of an agent that cannot start without the file.
    package var status = ExitStatus.configuration
}

extension ProtocolChoice {
    /// The protocol to use; nil lets the adapter search.
    package var bus: BusProtocol? {
        switch self {
        case .automatic: nil
        case .fixed(let number): BusProtocol(rawValue: number)
        }
    }
}

extension Store.Options {
    init(_ configuration: Configuration, _ surroundings: Surroundings, firstEpoch: UInt64) {
        self.init(
            agent: surroundings.machine.agent,
            boot: surroundings.machine.boot,
            directory: configuration.store.directory ?? surroundings.stateDirectory,
            limit: configuration.store.limit,
            keepDays: configuration.store.keepDays,
            firstEpoch: firstEpoch
        )
        self.hasBroker = !configuration.mqtt.servers.isEmpty
    }
}

extension UplinkOptions {
    init(
        _ configuration: Configuration,
        _ machine: MachineIdentity,
        _ files: CredentialFiles
    ) throws(AgentError) {
        let mqtt = configuration.mqtt
        // A bad password file at the start is a mistake. Later it may be under renewal.
        _ = try mqtt.password()
        let password = { @Sendable () throws(MQTTError) -> String? in
            files.willBeRead()
            do throws(AgentError) { return try mqtt.password() } catch { throw .invalid(error.description) }
        }
        self.init(
            servers: configuration.mqtt.servers.map { MQTT.Server($0, configuration.mqtt) },
            username: configuration.mqtt.username,
            topicPrefix: configuration.mqtt.topicPrefix,
            agent: machine.agent,
            boot: machine.boot,
            batchInterval: configuration.uplink.batchInterval,
            compressesTelemetry: configuration.uplink.compression == .zlib,
            storeWindow: configuration.store.batchInterval
        )
        self.password = password
        self.buttons = configuration.commands.buttons.sorted()
        self.live = LivePlane.Mode(configuration.uplink.live)
        self.dailyBudget = configuration.uplink.dailyBudget
        let homeAssistant = configuration.homeAssistant
        if homeAssistant.isEnabled {
            self.announcementFilter = (try? homeAssistant.prefix.appending("status")).map { TopicFilter($0) }
        }
    }
}

extension Discovery.Options {
    init(_ configuration: Configuration, _ machine: MachineIdentity) {
        let homeAssistant = configuration.homeAssistant
        let form: DiscoveryForm =
            switch homeAssistant.discovery {
            case .device: .device
            case .component: .component
            }
        self.init(
            prefix: homeAssistant.prefix,
            form: homeAssistant.isEnabled ? form : nil,
            topicPrefix: configuration.mqtt.topicPrefix,
            agent: machine.agent,
            version: AgentVersion.current,
            showsValues: configuration.uplink.live != .off,
            isImperial: configuration.mqtt.units == .imperial
        )
        let position = configuration.position
        self.showsPosition =
            position.gpsd != nil && position.sharing.publishesPosition && configuration.uplink.live != .off
        self.limits = configuration.computed.limits.map { ($0.name, $0.title) }
        self.showsTrips = configuration.trips.isEnabled
        self.consoleURL = homeAssistant.consoleURL
    }
}

extension DerivedPolling {
    init(_ computed: Configuration.Computed, _ trips: Configuration.Trips, _ captures: [CaptureRule]) {
        let names = computed.limits.flatMap(\.names)
        let limits = Dictionary(names.map { ($0, LimitRule.pollInterval) }) { first, _ in first }
        self.init(
            ways: Dictionary(
                computed.derived.map { ($0.name, $0.ways.map(\.sources)) },
                uniquingKeysWith: { first, _ in first }
            ),
            watched: captures.map(\.watched).reduce(
                limits.merging(trips.isEnabled ? TripRecorder.intervals : [:], uniquingKeysWith: min)
            ) { $0.merging($1, uniquingKeysWith: min) }
        )
    }
}

extension Configuration {
    /// The buttons that Home Assistant gets: those whose unsigned commands the agent obeys.
    var offeredButtons: Set<VehicleButton> {
        let (allowed, role) = (self.commands.allow, self.commands.unsignedRole)
        var buttons: Set<VehicleButton> = []
        if allowed.contains("read_codes"), role != .none { buttons.insert(.readCodes) }
        guard role == .specialist else { return buttons }
        if allowed.contains("wake") { buttons.insert(.wake) }
        if allowed.contains("clear_codes"), self.homeAssistant.hasClearButton { buttons.insert(.clearCodes) }
        return buttons
    }
}

extension ParkingPolicy {
    init(_ parking: Configuration.Parking) {
        self.init(
            idleLimit: parking.parkedAfter,
            voltageInterval: parking.voltageInterval,
            chargingInterval: parking.chargingInterval,
            probesPerHour: parking.probesPerHour,
            probesPerNight: parking.probesPerNight,
            minimumVoltage: parking.minimumVoltage,
            voltageOffset: parking.voltageOffset,
            sleepsAdapter: parking.sleepsAdapter
        )
    }
}

extension QuietHours {
    /// Returns whether quiet hours apply.
    ///
    /// True while the local time is unknown.
    func contain(_ clock: any CalendarClock) -> Bool {
        guard clock.quality == .synchronised else { return true }
        return self.contains(minute: LocalTime.minute(ofMilliseconds: clock.timestamp.milliseconds))
    }
}

extension CommandGuard {
    init(_ commands: Configuration.Commands) {
        let role: Role? =
            switch commands.unsignedRole {
            case .none: nil
            case .observer: .observer
            case .specialist: .specialist
            }
        self.init(allowed: commands.allow, unsignedRole: role, buttons: commands.buttons)
    }
}

extension CommandRules {
    init(_ commands: Configuration.Commands) {
        self.init(allowsRawWriting: commands.rawWriting, allowsEngineOverride: commands.engineOverride)
    }
}

extension Configuration {
    /// The poll intervals of the parameters.
    var intervals: [ParameterKey: Duration] {
        Dictionary(self.parameters.map { ($0.key, $0.interval) }) { first, _ in first }
    }
}

extension LivePlane.Mode {
    init(_ live: Configuration.Uplink.Live) {
        switch live {
        case .always: self = .always
        case .onDemand: self = .onDemand
        case .off: self = .off
        }
    }
}

extension Configuration.MQTT {
    /// Reads the password file; nil if none is configured.
    ///
    /// - Throws: ``AgentError`` if the file cannot be read or is empty.
    package func password() throws(AgentError) -> String? {
        guard let path = self.passwordFile else { return nil }
        guard let password = TextFile.read(path), !password.isEmpty else {
            throw AgentError(description: "[mqtt] password_file: \(path) cannot be read, or is empty")
        }
        return password
    }
}

extension MQTT.Server {
    /// Makes a server of MQTT from a configured one, with its files for TLS.
    package init(_ server: Configuration.Server, _ mqtt: Configuration.MQTT) {
        self.init(
            host: server.host,
            port: server.port,
            tls: server.tls
                ? TLS(caFile: mqtt.caFile, certificateFile: mqtt.certificateFile, keyFile: mqtt.keyFile)
                : nil
        )
    }
}
