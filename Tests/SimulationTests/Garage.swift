// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import OBD2
import Simulator

/// Two vehicles, and the adapter that moves between them.
final class Garage: Sendable {
    /// The fate of the link while the adapter is in neither vehicle.
    enum Link: CaseIterable, Sendable {
        /// The adapter has its power from the vehicle: the link is lost, and a new one meets an adapter with defaults.
        case lost
        /// The adapter has a battery: the link stays, and only the bus behind it is another.
        case survives
    }

    static let vins = ["ZZZSMVLATR4700893", "ZZZSMVLATR4700894"]

    private let world: World
    /// The vehicles in which the adapter is not, by VIN.
    private let others: Locked<[String: SimulatedVehicle]>
    private let place = Locked(0)

    /// - Parameter options: the options of both vehicles; the world begins with the first.
    init(_ world: World, _ options: SimulatedVehicle.Options) {
        self.world = world
        var second = options
        (second.vin, second.seed) = (Self.vins[1], options.seed + 1)
        // The adapter between two vehicles has a bus on which no ECU answers.
        var none = options
        (none.vin, none.gatewayWakeTime) = ("", .zero)
        var nobody = SimulatedVehicle(none, startedAt: world.time.now)
        nobody.isParked = true
        self.others = Locked(["": nobody, second.vin: SimulatedVehicle(second, startedAt: world.time.now)])
    }

    /// The number of the vehicle in which the adapter was put last.
    var present: Int { self.place.withLock { $0 } }

    /// Moves the adapter into the other vehicle; on the way it is in none.
    func move(_ link: Link, taking duration: Duration) async {
        self.depart(link, duration)
        await self.arrive(link, after: duration)
    }

    /// Moves the adapter at a step of its dialogue, counted from now, or after four seconds without that step.
    func move(_ link: Link, taking duration: Duration, atStep number: Int) async {
        self.world.fuse.set(toBlowAt: number) { _ in self.depart(link, duration) }
        let end = self.world.time.now + .seconds(4)
        while self.world.fuse.blownAt == nil, self.world.time.now < end { await self.world.run(for: .milliseconds(20)) }
        let isGone = self.world.fuse.blownAt != nil
        self.world.fuse.remove()
        if !isGone { self.depart(link, duration) }
        await self.arrive(link, after: duration)
    }

    private func depart(_ link: Link, _ duration: Duration) {
        if link == .lost {
            self.world.unplug()
        } else {
            self.world.ledger.exempt(self.world.time.now...self.world.time.now + duration + .seconds(8))
        }
        self.put("")
    }

    private func arrive(_ link: Link, after duration: Duration) async {
        await self.world.time.sleep(for: duration)
        let place = 1 - self.present
        self.put(Self.vins[place])
        self.place.withLock { $0 = place }
        if link == .lost { self.world.plug() }
    }

    private func put(_ vin: String) {
        self.world.harvest()
        self.world.withVehicle { present in
            self.others.withLock { others in
                guard let next = others.removeValue(forKey: vin) else { return }
                others[present.options.vin] = present
                present = next
            }
        }
    }

    /// Changes both vehicles.
    func change(_ body: @Sendable (inout SimulatedVehicle) -> Void) {
        self.world.withVehicle { body(&$0) }
        self.others.withLock { others in
            for vin in Self.vins {
                guard var vehicle = others[vin] else { continue }
                body(&vehicle)
                others[vin] = vehicle
            }
        }
    }

    /// The writing requests that each vehicle has received.
    var writes: [[[UInt8]]] {
        Self.vins.map { vin in
            self.world.withVehicle { $0.options.vin == vin ? $0.writes : nil }
                ?? self.others.withLock { $0[vin]?.writes } ?? []
        }
    }
}
