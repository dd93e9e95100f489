// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Configuration
import Contract
import EventLoop
import OBD2
import Session
import Store
import Uplink

/// The one owner of the connected vehicle's state.
///
/// The reporter's task alone changes it. The owner then informs the uplink, the announcer, the session and the log.
/// All other parts read ``presence``, which needs no waiting.
final class ConnectedVehicle: Sendable {
    private struct State: Sendable {
        var presence: VehiclePresence
        /// The continuations that end the waits for a confirmation.
        var waiters: [Int: AsyncStream<Never>.Continuation] = [:]
        var lastWaiter = 0
    }

    /// The longest time to wait for a pending session event.
    private static let confirmationTimeout = Duration.seconds(5)

    let naming: VehicleNaming
    private let topicPrefix: Topic
    private let uplink: Uplink
    private let announcer: Announcer
    private let session: Session
    private let selections: Selections
    /// The custom parameters of the vehicle.
    let known: KnownParameters
    private let sets: DetectedSets?
    private let store: Store
    private let logContext: LogContext
    private let clock: any MonotonicClock
    private let state: Locked<State>

    init(
        _ context: AgentContext,
        _ opened: OpenedStore,
        uplink: Uplink,
        announcer: Announcer,
        sessionParts: SessionParts
    ) {
        self.naming = context.naming
        self.topicPrefix = context.configuration.mqtt.topicPrefix
        self.logContext = context.surroundings.logContext
        self.clock = context.clock
        self.store = opened.store
        self.state = Locked(State(presence: VehiclePresence(opened.vehicle)))
        self.uplink = uplink
        self.announcer = announcer
        (self.session, self.selections) = (sessionParts.session, sessionParts.selections)
        (self.known, self.sets) = (sessionParts.known, sessionParts.sets)
    }

    /// The present state of the vehicle.
    var presence: VehiclePresence { self.state.withLock { $0.presence } }

    /// The topic level of the vehicle whose topics are in use.
    var name: String { self.presence.name }

    /// The names by which a command addresses the vehicle now.
    var addressee: CommandExecutor.Vehicle {
        let presence = self.presence
        return CommandExecutor.Vehicle(
            name: presence.name,
            vin: presence.vin?.description,
            isComing: presence.isBeingIdentified
        )
    }

    /// Waits until the vehicle is confirmed, because the session's event may still be in the queue.
    ///
    /// - Returns: whether the vehicle is confirmed when the wait ends, after 5 s at most.
    func waitUntilConfirmed() async -> Bool {
        let (confirmation, continuation) = AsyncStream.makeStream(of: Never.self)
        let added = self.state.withLock { state -> Int? in
            guard !state.presence.isConfirmed else { return nil }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = continuation
            return state.lastWaiter
        }
        guard let waiter = added else { return true }
        let (clock, deadline) = (self.clock, self.clock.now + Self.confirmationTimeout)
        await withTaskGroup { group in
            group.addTask { try? await clock.sleep(until: deadline) }
            group.addTask { for await _ in confirmation {} }
            await group.next()
            group.cancelAll()
        }
        self.state.withLock { $0.waiters[waiter] = nil }
        return self.presence.isConfirmed
    }

    // MARK: - Names

    /// Returns the topic level of an identified vehicle.
    func level(of found: VehicleNaming.Identified) async -> String {
        guard let name = self.naming.name else { return found.name }
        let presence = self.presence
        // The confirmed vehicle has only now told its VIN.
        if presence.isConfirmed, presence.name == name { return name }
        return self.naming.level(of: found, nameBelongsTo: await self.store.mark(of: name))
    }

    /// Returns the names of the vehicle that a lease is for.
    ///
    /// They follow from its ECUs' answers alone: the topics in use may still be those of the previous vehicle.
    func addressee(identifiedAs identity: VehicleIdentity) async -> CommandExecutor.Vehicle {
        let found = self.naming.identify(identity)
        let name =
            if let name = self.naming.name {
                self.naming.level(of: found, nameBelongsTo: await self.store.mark(of: name))
            } else {
                found.name
            }
        return CommandExecutor.Vehicle(name: name, vin: found.vin?.description, silent: found.silent)
    }

    // MARK: - Changes

    /// Restores the state that an earlier process left for the vehicle whose topics are in use.
    ///
    /// - Returns: the time of the last data from the vehicle.
    func restore() async -> Timestamp? {
        let name = self.name
        let lastSeen = await self.store.lastSeen(name)
        if await self.store.isKnown(name) { self.state.withLock { $0.presence.remembered() } }
        return lastSeen
    }

    /// The session's link has another state.
    func linkChanged(_ state: LinkState) async {
        self.naming.sessionEnded()
        let now = self.clock.now
        guard let event = self.state.withLock({ $0.presence.linkChanged(state, at: now) }) else { return }
        await self.uplink.record(event)
    }

    /// Switches everything to the topics of another vehicle.
    ///
    /// ``name`` changes once the uplink has the new topics: until then commands arrive on the old ones.
    ///
    /// - Parameter marks: the marks by which the store may know the other vehicle.
    func turn(to name: String, _ marks: [String]) async {
        // The configuration checks its names; all other names are letters, digits and hyphens.
        guard let topics = try? VehicleTopics(prefix: self.topicPrefix, vehicle: name) else { return }
        try? await self.uplink.setVehicle(name)
        self.state.withLock { $0.presence.topicsChanged(to: topics) }
        self.logContext.note(vehicle: name)
        self.known.turn(to: name, marks, await self.sets?.set(of: name))
        await self.session.adopt(await self.selections.selection(of: name))
    }

    /// Polls the signal set of the model that a detection has found, and remembers it.
    ///
    /// - Returns: the name of the set that is polled after this detection or an earlier one; nil if none is.
    func adopt(_ course: DetectionCourse, of name: String) async -> String? {
        guard let sets else { return nil }
        if await sets.remember(course, of: name) {
            await self.session.adopt(await self.selections.selection(of: name))
            await self.announcer.modelDetected()
        }
        return self.known.setName(of: name)
    }

    /// Confirms that the vehicle at the adapter is the one whose topics are in use.
    ///
    /// - Returns: whether the vehicle was not confirmed before.
    func confirm(_ identity: VehicleIdentity, as found: VehicleNaming.Identified) async -> Bool {
        if self.known.identify(found.marks) {
            await self.session.adopt(await self.selections.selection(of: self.name))
        }
        await self.announcer.vehicleIdentified(self.presence.topics, vin: found.vin?.description)
        let (events, waiters) = self.state.withLock { state in
            defer { state.waiters = [:] }
            return (state.presence.vehicleIdentified(identity, vin: found.vin), state.waiters.values)
        }
        for waiter in waiters { waiter.finish() }
        for event in events { await self.uplink.record(event.event, at: event.time) }
        return !events.isEmpty
    }

    /// Persists the identified vehicle, so that the next process begins with its topics.
    func remember(_ identity: VehicleIdentity, as found: VehicleNaming.Identified) async {
        if let state = self.naming.learn(identity, as: found) { await self.store.remember(state, of: self.name) }
        await self.store.remember(
            VehicleEntry(
                name: self.name,
                vin: found.vin?.description,
                mark: found.marks.first,
                at: self.clock.now
            )
        )
    }

    /// Notes that the vehicle at the adapter is not an expected one.
    ///
    /// - Returns: the event to record once the agent's own topics are in use; nil if it is recorded already.
    func unexpectedVehicleFound(_ found: VehicleNaming.Identified) -> AgentEvent? {
        self.state.withLock { $0.presence.unexpectedVehicleFound(found) }
    }
}
