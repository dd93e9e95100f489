// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import Drive
import ELM327
import OBD2
import Parking
import Session
import Store

/// Observes the drives of the connected vehicle.
///
/// Each input returns the actions that the reporter performs, in their order.
struct DriveWatch: Sendable {
    let clock: any CalendarClock
    var captures: CaptureWatch
    private var computing: ComputedWatch
    private var lacked: LackedValues
    var trips: TripWatch
    /// The positions; nil without a receiver.
    var position: PositionWatch?

    /// - Parameters:
    ///   - boot: the id of the machine's boot.
    ///   - zones: the places whose surroundings are never published.
    ///   - captures: the numbers of captures that an earlier process has kept.
    init(
        _ configuration: Configuration,
        clock: any CalendarClock,
        boot: String,
        zones: HomeZones,
        captures: DayCaptures? = nil
    ) {
        self.clock = clock
        self.position = configuration.position.gpsd.map { _ in
            PositionWatch(configuration.position.sharing, zones: zones)
        }
        self.computing = ComputedWatch(
            configuration.computed,
            ContractMapping(clock: clock, isImperial: configuration.mqtt.units == .imperial),
            boot: boot
        )
        self.lacked = LackedValues(configuration.computed.limits, configuration.captures)
        self.trips = TripWatch(
            configuration.trips,
            showsPlace: configuration.position.sharing.publishesPosition,
            clock: clock,
            boot: boot
        )
        self.captures = CaptureWatch(
            rules: configuration.captures,
            braking: BrakingWatch(limit: configuration.trips.limits.braking),
            earlier: captures.map { CaptureCounts(date: $0.date, byRule: $0.byRule) }
        )
    }

    /// Takes over the stored states of the vehicle whose topics are in use; nil for those that are not stored.
    mutating func restore(trips: [UInt8]?, limits: [UInt8]?, at now: MonotonicTime) -> [DriveAction] {
        let position = self.position
        return self.computing.restore(limits) + self.trips.restore(trips, at: now) { position?.shared($0) }
            + self.withdrawPosition()
    }

    /// Takes over the samples of one reply.
    ///
    /// - Parameter primary: the ECU whose values need no name of an ECU.
    mutating func samplesReceived(_ samples: [Sample], primary: ECUAddress?) -> [DriveAction] {
        let (computed, values, actions) = self.computing.samplesReceived(samples, primary: primary)
        let readings =
            samples.compactMap { CaptureReading($0, primary: primary) } + computed.compactMap(CaptureReading.init)
        let trips = self.trips.samplesReceived(samples, primary: primary, computed: values)
        return actions + trips + self.capture(readings)
    }

    /// Another selection is polled, or the vehicle supports other ways to compute derived parameters.
    ///
    /// To be called only once the topics of the vehicle are in use.
    ///
    /// - Parameter lacked: the watched values that the vehicle does not have.
    mutating func planChanged(
        _ selection: Selection,
        _ derivations: [String: Derivation],
        lacked: Set<String>
    ) -> [DriveAction] {
        self.lacked.changed(to: lacked) + self.computing.planChanged(selection, derivations)
    }

    /// The values of limits and capture rules that the vehicle does not have, sorted.
    var lackedValues: [String] { self.lacked.names }

    /// The ways in which derived parameters are computed now, by their names; nil if none is.
    var derivedReports: [String: DerivedReport]? { self.computing.reports }

    /// The ignition or the parking has changed.
    mutating func parkingChanged(to report: ParkingReport, at now: MonotonicTime) -> [DriveAction] {
        let figures = [Reading](report, at: now)
        return self.computing.figuresMeasured(figures) + self.trips.parkingChanged(to: report)
            + self.captures.figuresMeasured(figures, at: self.instant(now)).map(DriveAction.init)
            + (report.isParked ? self.captures.parked(at: self.instant(now)).map(DriveAction.init) : [])
            + (report.isParked ? self.completeTrack() : [])
    }

    /// The link to the adapter has changed.
    mutating func linkChanged(to state: LinkState, at now: MonotonicTime) -> [DriveAction] {
        if case .connected = state { return [] }
        return self.captures.linkLost(at: self.instant(now)).map(DriveAction.init)
    }

    /// Codes have appeared or gone, or the lamp has changed; `events` are those that were recorded.
    mutating func codesChanged(_ events: [AgentEvent], at now: MonotonicTime) -> [DriveAction] {
        self.trips.codesChanged(events)
        return self.capture(events, at: now)
    }

    /// Another vehicle follows.
    mutating func vehicleChanged(at now: MonotonicTime) -> [DriveAction] {
        self.computing.vehicleChanged()
        self.lacked.vehicleChanged()
        return self.trips.vehicleChanged() + self.captures.vehicleChanged(at: self.instant(now)).map(DriveAction.init)
            + self.endTrack()
    }

    /// Time has passed without an input; once a minute.
    mutating func timePassed(to now: MonotonicTime) -> [DriveAction] {
        self.computing.timePassed(to: now) + self.trips.timePassed(to: now)
            + self.captures.timePassed(to: self.instant(now)).map(DriveAction.init)
    }

    /// The agent is about to end, or its machine to be switched off.
    mutating func stopping(at now: MonotonicTime) -> [DriveAction] {
        self.trips.stopping() + self.captures.stopping(at: self.instant(now)).map(DriveAction.init)
    }
}
