// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import Base
package import OBD2

/// What Home Assistant is told, and when: the vehicle that is connected becomes one device there.
///
/// It owns no connection and no clock. Its inputs note what has changed; ``due(at:)`` tells what is to be published.
package struct Discovery: Sendable {
    /// How long changes are gathered: values come one after the other.
    static let settling = Duration.seconds(5)
    /// Between two announcements that follow from each other.
    ///
    /// Home Assistant loses what comes too fast.
    static let pause = Duration.seconds(5)
    /// The least time between two announcements because Home Assistant has started: anybody can say that it has.
    static let birthInterval = Duration.seconds(600)
    /// How many vehicles are remembered.
    package static let vehicleLimit = 16

    /// What does not change while the agent runs.
    package struct Options: Sendable {
        /// What the discovery topics begin with.
        package var prefix: Topic
        /// Nil: nothing is announced, and what was is removed.
        package var form: DiscoveryForm?
        package var topicPrefix: Topic
        package var agent: String
        package var version: String
        /// Whether values are published at all.
        package var showsValues: Bool
        package var isImperial: Bool

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

    private struct Present: Sendable {
        let topics: VehicleTopics
        let vin: String?
    }

    private let options: Options
    /// What brokers were told, the newest last.
    private var announced: [AnnouncedVehicle]
    private var present: Present?
    private var values: [VehicleValue] = []
    /// The names of the values that the vehicle has told.
    private var told: Set<String> = []
    /// Nil as long as nobody knows.
    private var monitors: Set<Monitor>?
    private var hasButton = false

    private var isConnected = false
    /// When to look whether something is to be announced.
    private var lookAt: MonotonicTime?
    /// Whether it is announced also where nothing has changed.
    private var repeats = false
    /// When to announce the vehicle because Home Assistant has started; nil: it has not since the last time.
    private var birthDue: MonotonicTime?
    /// When that was done last.
    private var lastBirth: MonotonicTime?
    /// Whether Home Assistant has just begun, and shall forget what was withdrawn while it was away.
    private var revives = false
    /// What is to be published one after the other, and what is true then.
    private var steps: [[Message]] = []
    private var outcome: [AnnouncedVehicle] = []
    /// What was true before the broker was told something that it may not have.
    private var unconfirmed: [AnnouncedVehicle]?

    /// - Parameter announced: what ``Action/publish(_:remember:)`` had remembered.
    package init(_ options: Options, announced: [AnnouncedVehicle]) {
        self.options = options
        self.announced = Array(announced.suffix(Self.vehicleLimit))
    }

    // MARK: - What happens

    /// A broker is there.
    ///
    /// - Parameter isKnown: whether it still knows this agent, and so what it was told.
    package mutating func connected(isKnown: Bool, at now: MonotonicTime) {
        self.isConnected = true
        if !isKnown { self.repeats = true }
        self.steps = []
        self.look(at: now + Self.settling)
    }

    /// The broker is gone.
    ///
    /// - Parameter lost: whether it may not have what was published last.
    package mutating func disconnected(lost: Bool) {
        self.isConnected = false
        if lost || !self.steps.isEmpty { self.repeats = true }
        if lost, let before = self.unconfirmed { self.announced = before }
        self.unconfirmed = nil
        self.steps = []
        self.lookAt = nil
    }

    /// Home Assistant has started.
    ///
    /// The first start is answered at once. Later ones wait until ``birthInterval`` has passed, and are answered together.
    ///
    /// - Parameter jitter: how long it is left alone: others announce themselves too.
    package mutating func homeAssistantStarted(at now: MonotonicTime, jitter: Duration) {
        guard self.birthDue == nil else { return }
        self.birthDue = max(now + jitter, self.lastBirth.map { $0 + Self.birthInterval } ?? .zero)
    }

    /// This is the vehicle now.
    package mutating func identified(_ topics: VehicleTopics, vin: String?, at now: MonotonicTime) {
        if self.present?.topics != topics {
            (self.told, self.monitors, self.steps) = ([], nil, [])
        }
        self.present = Present(topics: topics, vin: vin)
        self.look(at: now + Self.settling)
    }

    /// These values are read, for longer than a while.
    package mutating func selected(_ values: [VehicleValue], at now: MonotonicTime) {
        self.values = values
        // At once: before their topics are emptied.
        self.look(at: now)
    }

    /// The vehicle has told values of these names.
    package mutating func told(_ names: some Sequence<String>, at now: MonotonicTime) {
        let before = self.told.count
        self.told.formUnion(names)
        if self.told.count != before { self.look(at: now + Self.settling) }
    }

    /// The vehicle has these monitors.
    package mutating func monitored(_ monitors: Set<Monitor>, at now: MonotonicTime) {
        guard monitors != self.monitors else { return }
        self.monitors = monitors
        self.look(at: now + Self.settling)
    }

    /// Whether there is a button that clears the codes.
    package mutating func offersClear(_ isOffered: Bool, at now: MonotonicTime) {
        self.hasButton = isOffered
        self.look(at: now)
    }

    private mutating func look(at time: MonotonicTime) {
        // What is under way comes to its end first, and then is looked at again.
        guard self.steps.isEmpty else { return }
        self.lookAt = min(self.lookAt ?? time, time)
    }

    // MARK: - What is done

    /// When ``due(at:)`` has something to do; nil while nothing is known to come.
    package var deadline: MonotonicTime? {
        guard self.isConnected else { return nil }
        // A birth waits for the end of what is under way.
        return [self.lookAt, self.steps.isEmpty ? self.birthDue : nil].compactMap(\.self).min()
    }

    package enum DueAction: Sendable, Equatable {
        case none
        /// Publish this, and once the broker has it remember that; nil: nothing yet.
        case publish([Message], remember: [AnnouncedVehicle]?)
    }

    /// What is to be published now.
    package mutating func due(at now: MonotonicTime) -> DueAction {
        if self.isConnected, self.steps.isEmpty, let birthDue, birthDue <= now {
            (self.birthDue, self.lastBirth) = (nil, now)
            (self.repeats, self.revives, self.lookAt) = (true, true, now)
        }
        guard self.isConnected, let lookAt = self.lookAt, lookAt <= now else { return .none }
        self.lookAt = nil
        if self.steps.isEmpty { self.plan() }
        guard !self.steps.isEmpty else { return .none }
        let messages = self.steps.removeFirst()
        guard self.steps.isEmpty else {
            self.lookAt = now + Self.pause
            return .publish(messages, remember: nil)
        }
        (self.unconfirmed, self.announced) = (self.announced, self.outcome)
        // Something may have changed meanwhile.
        self.lookAt = now + Self.pause
        return .publish(messages, remember: self.announced)
    }

    private mutating func plan() {
        self.outcome = self.announced
        guard let form = self.options.form else {
            self.outcome = []
            self.steps = [self.announced.flatMap(Announcement.removal)].filter { !$0.isEmpty }
            return
        }
        guard let present = self.present, let topics = self.root(of: present.topics) else { return }
        let before = self.known(present, topics)
        let id = before?.id ?? Entity.identifier(present.vin ?? self.provisionalID(of: present.topics.vehicle))
        let entities = self.entities(present, before)
        var after = AnnouncedVehicle(
            id: id,
            vin: present.vin ?? before?.vin,
            topics: topics,
            prefix: self.options.prefix.description,
            form: form,
            entities: Dictionary(entities.map { ($0.key, $0.component) }) { first, _ in first }
        )
        // Another vehicle that had these topics has none now; nor has this one under another prefix.
        let others = self.announced.filter { $0.id != id && $0.topics == topics && $0.prefix == after.prefix }
        var moved: [AnnouncedVehicle] = []
        if let before, before.prefix != after.prefix { moved.append(before) }
        let isSamePlace = before?.prefix == after.prefix
        after.withdrawn = isSamePlace ? Self.withdrawn(before, after) : [:]
        let announcement = Announcement(
            id: id,
            prefix: self.options.prefix,
            form: form,
            name: present.topics.vehicle,
            vin: after.vin,
            version: self.options.version
        )
        var steps = [(others + moved).flatMap(Announcement.removal)].filter { !$0.isEmpty }
        let messages = announcement.messages(entities, removed: after.withdrawn)
        if let before, isSamePlace, before.form != form {
            steps += [Announcement.migration(of: before), messages, Announcement.removal(of: before)]
        } else {
            if self.revives, !after.withdrawn.isEmpty {
                let stubs = after.withdrawn.map { Entity.stub($0.key, $0.value, topic: "\(topics)/availability") }
                steps.append(announcement.messages(entities + stubs, removed: [:]))
            }
            steps.append(messages)
        }
        after.digest = Self.digest(announcement.messages(entities, removed: [:]))
        // Told once more, Home Assistant knows of it.
        if self.revives { after.withdrawn = [:] }
        guard self.repeats || after.digest != before?.digest || steps.count > 1 else { return }
        (self.repeats, self.revives, self.steps) = (false, false, steps)
        let rest = self.announced.filter { other in other.id != id && !others.contains(other) }
        self.outcome = (rest + [after]).suffix(Self.vehicleLimit)
    }

    /// What was announced of the vehicle: by its VIN or, where either of them is not known, by its topics.
    private func known(_ present: Present, _ topics: String) -> AnnouncedVehicle? {
        if let vin = present.vin, let known = self.announced.last(where: { $0.vin == vin }) { return known }
        return self.announced.last { $0.topics == topics && (present.vin == nil || $0.vin == nil) }
    }

    /// What a vehicle is known by that tells no VIN: there may be several at one agent.
    private func provisionalID(of vehicle: String) -> String {
        let own = "agent-\(self.options.agent)"
        return vehicle == own ? own : "\(own)-\(vehicle)"
    }

    private func root(of topics: VehicleTopics) -> String? {
        (try? self.options.topicPrefix.appending(topics.vehicle))?.description
    }

    /// What is announced: of the values those that the vehicle has told once, and so surely has.
    private func entities(_ present: Present, _ before: AnnouncedVehicle?) -> [Entity] {
        let topic = { (path: TopicPath) in (try? present.topics.topic(path))?.description ?? "" }
        var entities = Entity.presence(topic) + [Entity.parked(topic)] + Entity.codes(topic)
        let battery = Entity.battery(topic)
        if self.told.contains(SupplyValue.voltage.rawValue) || before?.entities[battery.key] != nil {
            entities.append(battery)
        }
        let monitors = Monitor.allCases.filter { monitor in
            let isKnown = before?.entities["monitor-\(monitor.rawValue)"] != nil
            return self.monitors.map { $0.contains(monitor) } ?? isKnown
        }
        entities += monitors.map { Entity.monitor($0, topic) }
        if self.hasButton { entities.append(Entity.clearButton(vehicle: present.topics.vehicle, topic)) }
        guard self.options.showsValues else { return entities }
        let values = self.values.filter { value in
            let name = value.field.name
            return self.told.contains(name) || before?.entities[Entity.identifier(name)] != nil
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
