// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract
package import OBD2

/// A state machine that announces the connected vehicle to Home Assistant as one device.
///
/// The machine has no connection and no clock. Its inputs record changes, and ``due(at:)`` returns the messages to
/// publish.
package struct Discovery: Sendable {
    /// The time for which changes are gathered into one announcement, because values arrive one after the other.
    static let settlingTime = Duration.seconds(5)
    /// The time between two steps of an announcement, because Home Assistant loses messages that follow too fast.
    static let pause = Duration.seconds(5)
    /// The shortest time between two announcements for a start of Home Assistant.
    ///
    /// Any client of the broker can publish such a start.
    static let birthInterval = Duration.seconds(600)
    /// The largest number of remembered vehicles.
    package static let vehicleLimit = 16

    /// The options, which do not change while the agent runs.
    package struct Options: Sendable {
        /// The root of the discovery topics.
        package var prefix: Topic
        /// The form of the announcements; nil announces nothing and removes earlier announcements.
        package var form: DiscoveryForm?
        package var topicPrefix: Topic
        package var agent: String
        package var version: String
        /// Whether the agent publishes live values.
        package var showsValues: Bool
        package var isImperial: Bool
        /// Whether the agent publishes the vehicle's position.
        package var showsPosition = false
        /// Whether the agent records trips.
        package var showsTrips = false
        /// The address of the console, without the vehicle; nil if there is none.
        package var consoleURL: String?
        /// The limits, each with its name for people.
        package var limits: [(name: String, title: String?)] = []

        package init(
            prefix: Topic,
            form: DiscoveryForm?,
            topicPrefix: Topic,
            agent: String,
            version: String,
            showsValues: Bool,
            isImperial: Bool
        ) {
            self.prefix = prefix
            self.form = form
            self.topicPrefix = topicPrefix
            self.agent = agent
            self.version = version
            self.showsValues = showsValues
            self.isImperial = isImperial
        }
    }

    private struct Vehicle: Sendable {
        let topics: VehicleTopics
        let vin: String?
        var facts: DeviceFacts
    }

    private let options: Options
    /// The announced vehicles, the newest last.
    private var announced: [AnnouncedVehicle]
    private var vehicle: Vehicle?
    private var values: [VehicleValue] = []
    /// The names of the values that the vehicle has reported.
    private var receivedNames: Set<String> = []
    /// The monitors of the vehicle; nil until they are read.
    private var monitors: Set<Monitor>?
    /// The figures that the vehicle's trips have had.
    private var tripFigures: Set<TripFigure> = []
    private var buttons: Set<VehicleButton> = []

    private var isConnected = false
    /// The time of the next check for changes; nil if no check is scheduled.
    private var nextCheck: MonotonicTime?
    /// Whether the next check announces the vehicle even if nothing has changed.
    private var isForced = false
    /// The time of the announcement for a start of Home Assistant; nil if no such announcement is pending.
    private var birthDeadline: MonotonicTime?
    /// The time of the last announcement for a start of Home Assistant.
    private var lastBirth: MonotonicTime?
    /// Whether the next announcement adds the withdrawn entities and then removes them.
    ///
    /// So a Home Assistant that has just started forgets the entities that were withdrawn while it did not run.
    private var restoresWithdrawn = false
    /// The messages still to publish, a step at a time.
    private var steps: [[Message]] = []
    /// The announced vehicles once the last step is published.
    private var outcome: [AnnouncedVehicle] = []
    /// The announced vehicles before the last step, in case the broker did not receive it.
    private var fallback: [AnnouncedVehicle]?

    /// - Parameter announced: the vehicles that the last ``DueAction/publish(_:persist:)`` persisted.
    package init(_ options: Options, announced: [AnnouncedVehicle]) {
        self.options = options
        self.announced = Array(announced.suffix(Self.vehicleLimit))
    }

    // MARK: - Inputs

    /// The agent has connected to a broker.
    ///
    /// - Parameter isSessionPresent: whether the broker has kept the session, and with it the earlier announcements.
    package mutating func brokerConnected(isSessionPresent: Bool, at now: MonotonicTime) {
        self.isConnected = true
        if !isSessionPresent { self.isForced = true }
        self.steps = []
        self.scheduleCheck(at: now + Self.settlingTime)
    }

    /// The agent has lost the broker.
    ///
    /// - Parameter isLastMessageLost: whether the broker may not have received the last messages.
    package mutating func brokerDisconnected(isLastMessageLost: Bool) {
        self.isConnected = false
        if isLastMessageLost || !self.steps.isEmpty { self.isForced = true }
        if isLastMessageLost, let before = self.fallback { self.announced = before }
        self.fallback = nil
        self.steps = []
        self.nextCheck = nil
    }

    /// Home Assistant has started.
    ///
    /// The machine answers the first start at once. It answers later ones together, once ``birthInterval`` has passed.
    ///
    /// - Parameter jitter: the delay before the announcement, because other devices announce themselves too.
    package mutating func homeAssistantStarted(at now: MonotonicTime, jitter: Duration) {
        guard self.birthDeadline == nil else { return }
        self.birthDeadline = max(now + jitter, self.lastBirth.map { $0 + Self.birthInterval } ?? .zero)
    }

    /// The connected vehicle is identified.
    ///
    /// - Parameter facts: what its device shows; nil for what the VIN tells.
    package mutating func vehicleIdentified(
        _ topics: VehicleTopics,
        vin: String?,
        facts: DeviceFacts? = nil,
        at now: MonotonicTime
    ) {
        if self.vehicle?.topics != topics {
            (self.receivedNames, self.monitors, self.tripFigures, self.steps) = ([], nil, [], [])
        }
        self.vehicle = Vehicle(topics: topics, vin: vin, facts: facts ?? DeviceFacts(vin: vin.flatMap { VIN($0) }))
        self.scheduleCheck(at: now + Self.settlingTime)
    }

    /// More is known about the connected vehicle, such as its model.
    package mutating func vehicleDescribed(_ facts: DeviceFacts, at now: MonotonicTime) {
        guard let vehicle = self.vehicle, vehicle.facts != facts else { return }
        self.vehicle?.facts = facts
        self.scheduleCheck(at: now + Self.settlingTime)
    }

    /// The selection of polled values has changed; temporary selections are not an input.
    package mutating func valuesSelected(_ values: [VehicleValue], at now: MonotonicTime) {
        self.values = values
        // The entities must go before the agent clears the topics of their values.
        self.scheduleCheck(at: now)
    }

    /// The vehicle has reported values with these names.
    package mutating func valuesReceived(named names: some Sequence<String>, at now: MonotonicTime) {
        let before = self.receivedNames.count
        self.receivedNames.formUnion(names)
        if self.receivedNames.count != before { self.scheduleCheck(at: now + Self.settlingTime) }
    }

    /// The monitors of the vehicle have been read.
    package mutating func monitorsRead(_ monitors: Set<Monitor>, at now: MonotonicTime) {
        guard monitors != self.monitors else { return }
        self.monitors = monitors
        self.scheduleCheck(at: now + Self.settlingTime)
    }

    /// A trip has these figures.
    package mutating func tripReported(_ figures: Set<TripFigure>, at now: MonotonicTime) {
        guard !figures.isSubset(of: self.tripFigures) else { return }
        self.tripFigures.formUnion(figures)
        self.scheduleCheck(at: now + Self.settlingTime)
    }

    /// The configuration offers these buttons, and no others.
    package mutating func buttonsOffered(_ buttons: Set<VehicleButton>, at now: MonotonicTime) {
        self.buttons = buttons
        self.scheduleCheck(at: now)
    }

    private mutating func scheduleCheck(at time: MonotonicTime) {
        // A check follows the last of the pending steps anyway.
        guard self.steps.isEmpty else { return }
        self.nextCheck = min(self.nextCheck ?? time, time)
    }

    // MARK: - Actions

    /// The next time at which ``due(at:)`` has something to do; nil if nothing is scheduled.
    package var deadline: MonotonicTime? {
        guard self.isConnected else { return nil }
        // A start of Home Assistant waits for the last of the pending steps.
        return [self.nextCheck, self.steps.isEmpty ? self.birthDeadline : nil].compactMap(\.self).min()
    }

    package enum DueAction: Sendable, Equatable {
        case none
        /// Publish the messages, and persist the vehicles once the broker has acknowledged; nil persists nothing.
        case publish([Message], persist: [AnnouncedVehicle]?)
    }

    /// Returns the messages to publish now.
    package mutating func due(at now: MonotonicTime) -> DueAction {
        if self.isConnected, self.steps.isEmpty, let birthDeadline, birthDeadline <= now {
            (self.birthDeadline, self.lastBirth) = (nil, now)
            (self.isForced, self.restoresWithdrawn, self.nextCheck) = (true, true, now)
        }
        guard self.isConnected, let nextCheck = self.nextCheck, nextCheck <= now else { return .none }
        self.nextCheck = nil
        if self.steps.isEmpty { self.plan() }
        guard !self.steps.isEmpty else { return .none }
        let messages = self.steps.removeFirst()
        guard self.steps.isEmpty else {
            self.nextCheck = now + Self.pause
            return .publish(messages, persist: nil)
        }
        (self.fallback, self.announced) = (self.announced, self.outcome)
        // The inputs may have changed during the steps.
        self.nextCheck = now + Self.pause
        return .publish(messages, persist: self.announced)
    }

    private mutating func plan() {
        self.outcome = self.announced
        guard let form = self.options.form else {
            self.outcome = []
            self.steps = [self.announced.flatMap(Announcement.removal)].filter { !$0.isEmpty }
            return
        }
        guard let vehicle = self.vehicle, let topics = self.root(of: vehicle.topics) else { return }
        let before = self.earlierAnnouncement(of: vehicle, on: topics)
        let id = before?.id ?? self.device(of: vehicle).id
        let entities = self.entities(vehicle, before)
        var after = AnnouncedVehicle(
            id: id,
            vin: vehicle.vin ?? before?.vin,
            topics: topics,
            prefix: self.options.prefix.description,
            form: form,
            entities: Dictionary(entities.map { ($0.key, $0.component) }) { first, _ in first }
        )
        // Remove another vehicle that had these topics, and this vehicle's announcement under another prefix.
        let others = self.announced.filter { $0.id != id && $0.topics == topics && $0.prefix == after.prefix }
        var moved: [AnnouncedVehicle] = []
        if let before, before.prefix != after.prefix { moved.append(before) }
        let isSamePlace = before?.prefix == after.prefix
        after.withdrawn = isSamePlace ? Self.withdrawn(before, after) : [:]
        let announcement = Announcement(
            id: id,
            prefix: self.options.prefix,
            form: form,
            name: vehicle.topics.vehicle,
            vin: after.vin,
            version: self.options.version,
            facts: vehicle.facts,
            consoleURL: self.options.consoleURL
        )
        var steps = [(others + moved).flatMap(Announcement.removal)].filter { !$0.isEmpty }
        let messages = announcement.messages(entities, removed: after.withdrawn)
        if let before, isSamePlace, before.form != form {
            steps += [Announcement.migration(of: before), messages, Announcement.removal(of: before)]
        } else {
            if self.restoresWithdrawn, !after.withdrawn.isEmpty {
                let stubs = after.withdrawn.map { Entity.stub($0.key, $0.value, topic: "\(topics)/availability") }
                steps.append(announcement.messages(entities + stubs, removed: [:]))
            }
            steps.append(messages)
        }
        after.digest = Self.digest(announcement.messages(entities, removed: [:]))
        // The removal after the restart reaches Home Assistant, so the entities are forgotten.
        if self.restoresWithdrawn { after.withdrawn = [:] }
        guard self.isForced || after.digest != before?.digest || steps.count > 1 else { return }
        (self.isForced, self.restoresWithdrawn, self.steps) = (false, false, steps)
        let rest = self.announced.filter { other in other.id != id && !others.contains(other) }
        self.outcome = (rest + [after]).suffix(Self.vehicleLimit)
    }

    /// Returns the earlier announcement of the vehicle.
    ///
    /// The earlier announcement has the same VIN. If one of the two VINs is unknown, it has the same topics.
    private func earlierAnnouncement(of vehicle: Vehicle, on topics: String) -> AnnouncedVehicle? {
        if let vin = vehicle.vin, let known = self.announced.last(where: { $0.vin == vin }) { return known }
        return self.announced.last { $0.topics == topics && (vehicle.vin == nil || $0.vin == nil) }
    }

    /// Returns the device of a vehicle that was not announced before.
    private func device(of vehicle: Vehicle) -> DiscoveryDevice {
        vehicle.vin.map { DiscoveryDevice(vin: $0) }
            ?? DiscoveryDevice(agent: self.options.agent, vehicle: vehicle.topics.vehicle)
    }

    private func root(of topics: VehicleTopics) -> String? {
        (try? self.options.topicPrefix.appending(topics.vehicle))?.description
    }

    /// Returns the entities to announce; those of values only if the vehicle has reported the value at least once.
    private func entities(_ vehicle: Vehicle, _ before: AnnouncedVehicle?) -> [Entity] {
        let topic = { (path: TopicPath) in (try? vehicle.topics.topic(path))?.description ?? "" }
        var entities = Entity.presence(topic) + [Entity.parked(topic)] + Entity.codes(topic)
        entities += Entity.findings(topic) + [Entity.lastAnswer(topic)]
        let battery = Entity.battery(topic)
        if self.receivedNames.contains(SupplyValue.voltage.rawValue) || before?.entities[battery.key] != nil {
            entities.append(battery)
        }
        let monitors = Monitor.allCases.filter { monitor in
            let isKnown = before?.entities["monitor-\(monitor.rawValue)"] != nil
            return self.monitors.map { $0.contains(monitor) } ?? isKnown
        }
        entities += monitors.map { Entity.monitor($0, topic) }
        if self.options.showsPosition { entities.append(Entity.position(topic)) }
        if self.options.showsTrips {
            let figures = TripFigure.allCases.filter {
                self.tripFigures.contains($0) || before?.entities[$0.rawValue] != nil
            }
            entities += figures.map { Entity.trip($0, topic) }
        }
        entities += self.options.limits.map { Entity.limit($0.name, title: $0.title, topic) }
        entities += VehicleHappening.allCases.filter { $0 != .trip || self.options.showsTrips }
            .map { Entity.happening($0, topic) }
        entities += VehicleButton.allCases.filter(self.buttons.contains)
            .map { Entity.button($0, vehicle: vehicle.topics.vehicle, topic) }
        guard self.options.showsValues else { return entities }
        let values = self.values.filter { value in
            let name = value.field.name
            return self.receivedNames.contains(name) || before?.entities[DiscoveryDevice.identifier(name)] != nil
        }
        entities += values.map {
            Entity($0, topic: topic(.parameter($0.field.name, ecu: nil)), isImperial: self.options.isImperial)
        }
        return Array(entities.prefix(AnnouncedVehicle.entityLimit))
    }

    private static func withdrawn(
        _ before: AnnouncedVehicle?,
        _ after: AnnouncedVehicle
    ) -> [String: Entity.Component] {
        guard let before else { return [:] }
        let gone = before.withdrawn.merging(before.entities) { $1 }.filter { after.entities[$0.key] == nil }
        return Dictionary(
            gone.sorted { $0.key < $1.key }.prefix(AnnouncedVehicle.withdrawnLimit).map { ($0.key, $0.value) }
        ) { first, _ in first }
    }

    private static func digest(_ messages: [Message]) -> UInt64 {
        FNV1a.hash(of: messages.lazy.flatMap { Array($0.topic.description.utf8) + $0.payload })
    }
}
