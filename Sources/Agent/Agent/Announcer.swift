// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import HomeAssistant
import Logging
import OBD2
import ServiceLifecycle
import Session
import Store
import Uplink

/// Tells Home Assistant of the vehicle, as ``Discovery`` says.
actor Announcer {
    /// How many connections in a row may end over announcements before there are no more.
    private static let strikeLimit = 3
    /// Home Assistant is left alone for so long after its start, at most.
    private static let longestJitter = 10_000

    private var discovery: Discovery
    private let uplink: Uplink
    private let store: Store
    private let custom: [CustomParameter]
    private let clock: any MonotonicClock
    private let logger: Logger
    /// What is to be remembered once the broker has what was published.
    private var unsettled: [AnnouncedVehicle]?
    private var strikes = 0
    /// Rings when there may be something to do earlier than was known.
    private let timer = InterruptibleTimer()

    init(
        _ options: Discovery.Options,
        custom: [CustomParameter],
        uplink: Uplink,
        store: Store,
        clock: any MonotonicClock,
        logger: Logger
    ) async {
        // What is in the file may be anything.
        let announced = await store.announced().compactMap { AnnouncedVehicle(id: $0.id, body: $0.body) }
        self.discovery = Discovery(options, announced: announced)
        self.uplink = uplink
        self.store = store
        self.custom = custom
        self.clock = clock
        self.logger = logger
    }

    // MARK: - What happens

    /// This is the vehicle now.
    func identified(_ topics: VehicleTopics, vin: String?) {
        self.discovery.vehicleIdentified(topics, vin: vin, at: self.clock.now)
        self.timer.interrupt()
    }

    /// This is polled, for longer than a while; what is not any more is withdrawn when this returns.
    func selected(_ selection: Selection) async {
        let values = VehicleValue.all(of: selection.intervals.keys, custom: self.custom)
        self.discovery.valuesSelected(values, at: self.clock.now)
        await self.perform()
    }

    /// The vehicle has told values of these names.
    func told(_ names: [String]) {
        self.discovery.valuesReceived(named: names, at: self.clock.now)
        self.timer.interrupt()
    }

    /// The vehicle has these monitors.
    func monitored(_ names: some Sequence<String> & Sendable) {
        self.discovery.monitorsRead(Set(names.compactMap(Monitor.init(rawValue:))), at: self.clock.now)
        self.timer.interrupt()
    }

    /// Whether the codes can be cleared by a button.
    func offersClear(_ isOffered: Bool) {
        self.discovery.clearButtonOffered(isOffered, at: self.clock.now)
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
        case .settled(let rejection):
            self.strikes = 0
            if let rejection { self.complain("the broker does not take it (reason code \(rejection))") }
            guard let announced = self.unsettled else { return }
            self.unsettled = nil
            guard rejection == nil else { return }
            await self.store.remember(announced: announced.map { AnnouncedEntry(id: $0.id, body: $0.body) })
        case .disconnected(let isUnsettled):
            self.discovery.brokerDisconnected(isLastMessageLost: isUnsettled)
            self.unsettled = nil
            // Some brokers end the connection of who publishes what it may not.
            self.strikes = isUnsettled ? self.strikes + 1 : 0
            guard self.strikes == Self.strikeLimit else { return }
            self.complain("each time the connection is lost, so it is not tried again")
        }
    }

    private func complain(_ problem: String) {
        self.logger.warning(
            """
            Home Assistant is not told of the vehicle: \(problem). Let the broker's access list allow it, set \
            [home_assistant] discovery = "component" where messages are too large, or enabled = false
            """
        )
    }

    // MARK: - What is done

    private func perform() async {
        guard case .publish(let messages, let announced) = self.discovery.due(at: self.clock.now) else { return }
        if let problem = await self.uplink.announce(messages) {
            self.logger.debug("Not announced: \(problem)")
            self.discovery.brokerDisconnected(isLastMessageLost: true)
            return
        }
        if let announced { self.unsettled = announced }
    }

    /// Publishes what is due, until the task is cancelled.
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

/// Announces until the uplink says goodbye.
struct AnnouncementService: ServiceLifecycle.Service {
    let announcer: Announcer

    func run() async throws {
        await cancelWhenGracefulShutdown { await self.announcer.run() }
    }
}
