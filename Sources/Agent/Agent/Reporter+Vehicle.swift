// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Commands
import Contract
import OBD2
import Parking
import Session
import Store
import Base
import Uplink

// Which vehicle it is, and whose topics these are.
extension Reporter {
    /// A vehicle that is to be read is known, or more of it is.
    func identified(_ vehicle: VehicleIdentity) async {
        let found = self.identity.naming.identify(vehicle)
        let name = await self.level(of: found)
        self.vehicle = vehicle
        self.wrongVehicle = nil
        await self.turn(to: name)
        if let topics = await self.uplink.vehicleTopics(name) {
            await self.announcer.identified(topics, vin: found.vin?.description)
        }
        // Before anybody is told that it is the one: commands are judged by both.
        self.vin = found.vin
        if !self.isConfirmed {
            self.isConfirmed = true
            if let since = self.unidentifiedSince { await self.uplink.record(AgentEvent(.connected), at: since) }
            self.unidentifiedSince = nil
            if let previous = self.lastVehicle, previous != name {
                var event = AgentEvent(.vehicleChanged)
                event.previous = previous
                await self.uplink.record(event)
            }
            var event = AgentEvent(.vehicleIdentified)
            event.vin = found.vin?.description
            await self.uplink.record(event)
            await self.reportFinding(about: name)
        }
        self.lastVehicle = name
        self.ownsSupply = true
        if let parking = self.parking { await self.tellSupply(parking) }
        await self.store.remember(
            VehicleEntry(name: name, vin: found.vin?.description, mark: found.marks.first, at: self.clock.now)
        )
        await self.reportStatus()
        await self.reportVehicle()
    }

    /// Returns the names of the vehicle that a lease is for.
    ///
    /// They follow from what its ECUs say alone: the topics in use may still be those of the vehicle before.
    func vehicle(identifiedAs identity: VehicleIdentity) async -> CommandExecutor.Vehicle {
        let naming = self.identity.naming
        let found = naming.identify(identity)
        let name =
            if let name = naming.name {
                naming.level(of: found, nameBelongsTo: await self.store.mark(of: name))
            } else {
                found.name
            }
        return CommandExecutor.Vehicle(name: name, vin: found.vin?.description)
    }

    /// The level of a vehicle's topics.
    private func level(of found: VehicleNaming.Identified) async -> String {
        let naming = self.identity.naming
        guard let name = naming.name else { return found.name }
        // It is the same as a moment ago, and tells its VIN only now.
        if self.isConfirmed, await self.uplink.vehicle == name { return name }
        return naming.level(of: found, nameBelongsTo: await self.store.mark(of: name))
    }

    /// The vehicle is none of those that are expected: nobody's topics hear of it but the agent's own.
    func unexpected(_ vehicle: VehicleIdentity) async {
        let found = self.identity.naming.identify(vehicle)
        (self.vehicle, self.vin, self.isConfirmed, self.unidentifiedSince) = (nil, nil, false, nil)
        self.ownsSupply = false
        let isNews = self.wrongVehicle != found.name
        self.wrongVehicle = found.name
        await self.turn(to: self.identity.naming.own)
        if isNews {
            var event = AgentEvent(.wrongVehicle)
            (event.vin, event.vehicle) = (found.vin?.description, found.name)
            await self.uplink.record(event)
        }
        await self.reportStatus()
    }

    /// From now on everything is about the vehicle of this name.
    private func turn(to name: String) async {
        guard await self.uplink.vehicle != name else { return }
        self.history = CodeHistory()
        self.mil = nil
        self.tests = nil
        (self.told, self.seen, self.supplyNews) = ([], nil, SupplyNews())
        // Names are checked when the configuration is read, and all others are letters, digits and hyphens.
        try? await self.uplink.setVehicle(name)
        await self.select(name)
    }

    /// Tells who the vehicle is and what it has, once that is known.
    func reportVehicle() async {
        guard self.isConfirmed, self.vehicle?.isMapped == true, let report = await self.vehicleReport() else { return }
        await self.uplink.update(.vehicle, .vehicle(report))
    }
}
