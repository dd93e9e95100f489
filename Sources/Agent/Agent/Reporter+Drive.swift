// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Contract
import Drive
import Logging
import OBD2
import Session
import Store
import Uplink

// The drive: trips, limits, captures and positions.
extension Reporter {
    func perform(_ actions: [DriveAction]) async {
        guard !actions.isEmpty else { return }
        if !self.turns.take() { await withCheckedContinuation { self.turns.wait($0) } }
        defer { self.turns.pass() }
        for action in actions {
            switch action {
            case .record(let event): await self.uplink.record(event)
            case .update(let path, let payload): await self.uplink.update(path, payload)
            case .showTrip(let state, let stored): await self.show(state, stored: stored)
            case .ingest(let samples):
                await self.uplink.ingest(samples)
                await self.announceFirstValues(in: samples)
            case .track(let points): await self.uplink.ingest(points)
            case .keep(let event, let time): await self.uplink.keep(event, at: time)
            case .complete(let event, let time): await self.uplink.record(completing: event, at: time)
            case .hasten(let keys, let interval, let duration):
                await self.session.hasten(keys, every: interval, for: duration)
                self.values.pollingChanged(hastened: await self.session.hastened)
            case .rememberCaptures(let captures): await self.uplink.remember(captures)
            case .noteSkippedCapture(let rule, let running):
                self.outlets.logger.notice(
                    "The capture rule \(rule) fired, but begins no capture: that of \(running) runs, and has the readings"
                )
            case .noteLackedValues(let names, let table):
                let list = names.joined(separator: ", ")
                self.outlets.logger.notice(
                    "[\(table)] needs \(list), which this vehicle does not report. Try: another value, or a custom parameter"
                )
            case .remember(let state): await self.uplink.remember(state)
            case .recordChange(let event, let time, let boot, let state):
                await self.uplink.record(event, at: time, in: boot, with: state)
            }
        }
    }

    /// Publishes a trip, with the stored totals once they are on the disk: a power cut must not take them back.
    private func show(_ trip: TripState, stored: TripTotals?) async {
        var trip = trip
        if let stored, await self.outlets.store.isWritten(.trips, of: self.vehicle.name) {
            self.drive.trips.totalsWritten(stored)
            trip.totals = TripState.Totals(stored)
        }
        await self.uplink.update(.trip, .trip(trip))
        await self.announcer.tripReported(trip)
    }

    /// A command asks for a capture now, or sets a rule for a time.
    func capture(_ order: CaptureOrder, by id: String, issuer: String?) async throws(CaptureWatch.Refusal) {
        let actions = try self.drive.captureRequested(order, by: id, issuer: issuer, at: self.clock.now)
        await self.perform(actions)
    }

    /// The receiver has determined a position.
    func fixReceived(_ fix: Fix) async {
        // Nothing is reported of a vehicle that is not known yet, or not expected.
        guard self.vehicle.presence.ownsReceiver else { return }
        await self.perform(self.drive.fixReceived(fix))
    }

    /// The receiver has determined no position for some time.
    func fixMissed() async { await self.perform(self.drive.fixMissed(at: self.clock.now)) }

    /// The session has ended, and the agent is about to.
    func finish() async { await self.perform(self.drive.stopping(at: self.clock.now)) }
}
