// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import HomeAssistant
import Logging
import OBD2
import Session
import Store
import Uplink

/// Publishes the vehicle's entities to Home Assistant, as ``Discovery`` decides.
actor Announcer {
    /// The number of consecutive connections that end during an announcement before announcing stops.
    private static let strikeLimit = 3
    /// The longest random delay after a start of Home Assistant, in milliseconds.
    private static let longestJitter = 10_000

    private var discovery: Discovery
    /// The VIN of the identified vehicle; nil if it could not be read.
    private var vin: VIN?
    private let uplink: Uplink
    private let store: Store
    private let known: KnownParameters
    private let clock: any CalendarClock
    private let logger: Logger
    /// The vehicles to persist once the broker has acknowledged the published messages.
    private var unacknowledged: [AnnouncedVehicle]?
    /// The number of consecutive connections that ended during an announcement.
    private var strikes = 0
    /// The problem of the last warning, which is not repeated; nil once the broker has accepted an announcement.
    private var problem: String?
    /// Ends the present wait when an announcement may be due earlier.
    private let timer = InterruptibleTimer()

    init(
        _ options: Discovery.Options,
        known: KnownParameters,
        uplink: Uplink,
        store: Store,
        clock: any CalendarClock,
        logger: Logger
    ) async {
        // The file can contain any bytes.
        let announced = await store.announced().compactMap { AnnouncedVehicle(id: $0.id, body: $0.body) }
        self.discovery = Discovery(options, announced: announced)
        self.uplink = uplink
        self.store = store
        self.known = known
        self.clock = clock
        self.logger = logger
    }

    // MARK: - Facts

    /// A vehicle was identified, and its topics are in use.
    func vehicleIdentified(_ topics: VehicleTopics, vin: String?) {
        self.vin = vin.flatMap { VIN($0) }
        self.discovery.vehicleIdentified(topics, vin: vin, facts: self.facts, at: self.clock.now)
        self.timer.interrupt()
    }

    /// A detection has found the model of the identified vehicle.
    func modelDetected() {
        self.discovery.vehicleDescribed(self.facts, at: self.clock.now)
        self.timer.interrupt()
    }

    private var facts: DeviceFacts {
        let set = self.known.report
        let latest = self.clock.quality == .synchronised ? self.clock.timestamp.year + 1 : nil
        let year = latest.flatMap { self.vin?.modelYear(notAfter: $0) }
        return DeviceFacts(vin: self.vin, model: set?.name, modelYear: set?.year ?? year)
    }

    /// Other parameters are polled from now on, or during a charge.
    ///
    /// The entities of all other values are withdrawn before this returns.
    func polledParametersChanged(to keys: Set<ParameterKey>) async {
        let values = VehicleValue.all(of: keys, custom: self.known.all, derived: self.known.derivedValues)
        self.discovery.valuesSelected(values, at: self.clock.now)
        await self.perform()
    }

    /// The vehicle has reported these values for the first time.
    func valuesReceived(named names: [String]) {
        self.discovery.valuesReceived(named: names, at: self.clock.now)
        self.timer.interrupt()
    }

    /// The readiness of these monitors was read.
    func monitorsRead(_ names: some Sequence<String> & Sendable) {
        self.discovery.monitorsRead(Set(names.compactMap(Monitor.init(rawValue:))), at: self.clock.now)
        self.timer.interrupt()
    }

    /// The state of the vehicle's trips is published.
    func tripReported(_ state: TripState) {
        self.discovery.tripReported(TripFigure.known(in: state), at: self.clock.now)
        self.timer.interrupt()
    }

    /// Offers these buttons, and withdraws all others.
    func offer(_ buttons: Set<VehicleButton>) {
        self.discovery.buttonsOffered(buttons, at: self.clock.now)
        self.timer.interrupt()
    }

    private func handle(_ event: Uplink.AnnouncementEvent) async {
        let now = self.clock.now
        switch event {
        case .connected(let isSessionPresent):
            if self.strikes < Self.strikeLimit {
                self.discovery.brokerConnected(isSessionPresent: isSessionPresent, at: now)
            }
        case .messageReceived(let message):
            guard message.payload == Array("online".utf8) else { return }
            let jitter = Duration.milliseconds(Int.random(in: 0...Self.longestJitter))
            self.discovery.homeAssistantStarted(at: now, jitter: jitter)
        case .allAnswered(let rejection):
            self.strikes = 0
            if let rejection {
                self.warn("the broker rejected an announcement (reason code \(rejection))")
            } else {
                self.problem = nil
            }
            guard let announced = self.unacknowledged else { return }
            self.unacknowledged = nil
            guard rejection == nil else { return }
            await self.store.remember(announced: announced.map { AnnouncedEntry(id: $0.id, body: $0.body) })
        case .disconnected(let isUnanswered):
            self.discovery.brokerDisconnected(isLastMessageLost: isUnanswered)
            self.unacknowledged = nil
            // Some brokers disconnect a client that publishes to a forbidden topic.
            self.strikes = isUnanswered ? self.strikes + 1 : 0
            guard self.strikes == Self.strikeLimit else { return }
            self.warn("the connection was lost during \(Self.strikeLimit) announcements, so announcing has stopped")
        }
    }

    private func warn(_ problem: String) {
        guard problem != self.problem else { return }
        self.problem = problem
        self.logger.warning(
            """
            Home Assistant does not get the vehicle's entities: \(problem). Try: allow them in the broker's access \
            list; [home_assistant] discovery = "component" for smaller messages; or enabled = false
            """
        )
    }

    // MARK: - Actions

    private func perform() async {
        guard case .publish(let messages, let announced) = self.discovery.due(at: self.clock.now) else { return }
        if let problem = await self.uplink.announce(messages) {
            self.logger.debug("The announcement was not published: \(problem)")
            self.discovery.brokerDisconnected(isLastMessageLost: true)
            return
        }
        if let announced { self.unacknowledged = announced }
    }

    /// Publishes due announcements until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { for await event in self.uplink.announcementEvents { await self.handleAndRing(event) } }
            group.addTask { await self.performForever() }
        }
    }

    private func handleAndRing(_ event: Uplink.AnnouncementEvent) async {
        await self.handle(event)
        self.timer.interrupt()
    }

    private func performForever() async {
        while !Task.isCancelled {
            await self.perform()
            await self.timer.wait(until: self.discovery.deadline, on: self.clock)
        }
    }
}

/// Runs the announcer until the agent stops.
struct AnnouncementService: Service {
    let announcer: Announcer

    func run(until stop: StopRequest) async {
        await stop.cancelling { await self.announcer.run() }
    }
}
