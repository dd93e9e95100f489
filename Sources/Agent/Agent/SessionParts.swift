// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import Configuration
import Contract
import ELM327
import EventLoop
import OBD2
import Parking
import Session
import SocketCAN
import Store

/// The session with the adapter, its events, and the files that outlive a crash.
struct SessionParts: Sendable {
    /// The most events of the session that wait for the reporter; beyond that the oldest are dropped.
    private static let eventLimit = 4096

    let session: Session
    /// The events of the session, which one task reads.
    let events: AsyncStream<SessionEvent>
    let selections: Selections
    let known: KnownParameters
    /// The signal sets of detected models; nil unless the configuration lets the agent choose them.
    let sets: DetectedSets?
    /// The selection of the vehicle whose topics are used first.
    let selection: Selection
    let recorder: FlightRecorder?
    let health: Health
    private let eventContinuation: AsyncStream<SessionEvent>.Continuation
    private let probeFile: ProbeFile?

    init(_ context: AgentContext, _ opened: OpenedStore) async {
        let (configuration, surroundings, clock) = (context.configuration, context.surroundings, context.clock)
        let (events, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self,
            bufferingPolicy: .bufferingNewest(Self.eventLimit)
        )
        (self.events, self.eventContinuation) = (events, continuation)
        let known = KnownParameters(configuration)
        let sets = DetectedSets(context, opened.store, known)
        (self.known, self.sets) = (known, sets)
        let name = opened.vehicle.vehicle
        let mark = await opened.store.mark(of: name)
        known.turn(to: name, [mark].compactMap(\.self), await sets?.set(of: name))
        let selections = Selections(
            store: opened.store,
            configured: Locked(configuration.intervals),
            known: known
        )
        self.selections = selections
        let selection = await selections.selection(of: name)
        self.selection = selection
        let boot = surroundings.machine.boot
        let recorder = surroundings.runtimeDirectory.map {
            FlightRecorder(directory: $0, version: context.identity.version, boot: boot)
        }
        self.recorder = recorder
        let probeFile = surroundings.runtimeDirectory.map { ProbeFile(directory: $0, boot: boot) }
        self.probeFile = probeFile
        let health = Health(clock)
        self.health = health
        let naming = context.naming
        self.session = Session(
            over: Self.way(context, health.sessionClock, recorder),
            vehicle: VehicleSettings(
                bus: configuration.adapter.protocolChoice.bus,
                custom: configuration.custom,
                derived: DerivedPolling(configuration.computed, configuration.trips, configuration.captures),
                searched: Set(configuration.intervals.keys),
                own: { known.own(of: naming.identify($0).marks) },
                charging: { known.charging },
                isExpected: { naming.expects($0) }
            ),
            selection: selection,
            parking: ParkingSettings(
                ParkingPolicy(configuration.parking),
                probes: probeFile?.read(at: clock.now) ?? ProbeRecord(),
                persistProbes: { probeFile?.keep($0) },
                isQuiet: { configuration.parking.quietHours?.contain(clock) ?? false }
            ),
            clock: health.sessionClock,
            logger: context.logger
        ) { continuation.yield($0) }
    }

    /// Returns the way to the configured adapter or CAN interface, or to a simulated adapter.
    private static func way(_ context: AgentContext, _ clock: WatchedClock, _ recorder: FlightRecorder?) -> Session.Way
    {
        let (adapter, simulated) = (context.configuration.adapter, context.surroundings.simulatedAdapter)
        if simulated == nil, case .can(let name) = adapter.address {
            return .can(name) { () throws(CANError) in WatchedPort(try SocketCANPort(name), clock) }
        }
        let open = simulated?.open ?? AdapterOpener.opener(for: adapter, clock: context.clock, logger: context.logger)
        let transcript = recorder.map { recorder in
            TranscriptRecorder(clock: context.clock) { recorder.record($0) }
        }
        let directory = context.configuration.store.directory ?? context.surroundings.stateDirectory
        let (address, version) = (context.identity.adapterAddress, context.identity.version)
        let file = directory.map { AdapterFile(directory: $0, address: address, version: version) }
        return .adapter(WatchedLink.opener(open, clock), file?.memory ?? AdapterMemory(), transcript)
    }

    /// Writes the rest of the transcript and removes the spent probes, at an orderly end.
    func flushFiles() {
        self.recorder?.flush()
        self.probeFile?.remove()
    }

    /// Ends ``events`` once those that wait are read.
    func finishEvents() { self.eventContinuation.finish() }
}
