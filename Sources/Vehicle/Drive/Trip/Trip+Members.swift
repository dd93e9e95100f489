// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

// The stored form of a trip that is over.
extension Trip {
    init?(_ members: TripMembers) {
        guard let start = members.members("start").flatMap(TripPoint.init),
            let end = members.members("end").flatMap(TripPoint.init)
        else { return nil }
        self.init(
            start: start,
            end: end,
            boot: members.members("boot").flatMap(MachineBoot.init),
            isFinished: true,
            distance: members["distance"],
            distanceSource: members.text("distance_source").flatMap(DistanceSource.init),
            distanceError: members["distance_error"],
            distanceWatched: members["distance_watched"],
            moving: members["moving"] ?? 0,
            idling: members["idling"] ?? 0,
            stopped: members["stopped"] ?? 0,
            unobserved: members["unobserved"] ?? 0,
            meanSpeed: members["mean_speed"],
            maximumSpeed: members["maximum_speed"],
            fuel: members["fuel"],
            fuelSource: members.text("fuel_source"),
            fuelWatched: members["fuel_watched"],
            fuelConsumption: members["fuel_consumption"],
            energy: members["energy"],
            regenerated: members["regenerated"],
            energySource: members.text("energy_source").flatMap(EnergySource.init),
            energyWatched: members["energy_watched"],
            energyConsumption: members["energy_consumption"],
            engineSpeeds: TimeBands(.engineSpeed, seconds: members.numbers("engine_speeds")),
            engineLoads: TimeBands(.engineLoad, seconds: members.numbers("engine_loads")),
            coolantAtStart: members["coolant"],
            harshBrakings: members.count("brakings"),
            harshAccelerations: members.count("accelerations"),
            overSpeeds: members.count("over_speeds"),
            codesAppeared: members.texts("appeared"),
            codesGone: members.texts("gone")
        )
    }

    var members: TripMembers {
        var members = TripMembers()
        members.set("start", self.start.members)
        members.set("end", self.end.members)
        members.set("boot", self.boot?.members)
        members["distance"] = self.distance
        members.set("distance_source", self.distanceSource?.rawValue)
        members["distance_error"] = self.distanceError
        members["distance_watched"] = self.distanceWatched
        members["moving"] = self.moving
        members["idling"] = self.idling
        members["stopped"] = self.stopped
        members["unobserved"] = self.unobserved
        members["mean_speed"] = self.meanSpeed
        members["maximum_speed"] = self.maximumSpeed
        members["fuel"] = self.fuel
        members.set("fuel_source", self.fuelSource)
        members["fuel_watched"] = self.fuelWatched
        members["fuel_consumption"] = self.fuelConsumption
        members["energy"] = self.energy
        members["regenerated"] = self.regenerated
        members.set("energy_source", self.energySource?.rawValue)
        members["energy_watched"] = self.energyWatched
        members["energy_consumption"] = self.energyConsumption
        members.set("engine_speeds", self.engineSpeeds?.seconds)
        members.set("engine_loads", self.engineLoads?.seconds)
        members["coolant"] = self.coolantAtStart
        members.set("brakings", self.harshBrakings)
        members.set("accelerations", self.harshAccelerations)
        members.set("over_speeds", self.overSpeeds)
        members.set("appeared", self.codesAppeared)
        members.set("gone", self.codesGone)
        return members
    }
}

extension TripPoint {
    init?(_ members: TripMembers) {
        guard let time = members.time("time") else { return nil }
        self.init(
            time: time,
            odometer: members["odometer"],
            place: members.place("place"),
            stateOfCharge: members["charge"],
            fuelLevel: members["fuel_level"]
        )
    }

    var members: TripMembers {
        var members = TripMembers()
        members.set("time", self.time)
        members["odometer"] = self.odometer
        members.set("place", self.place)
        members["charge"] = self.stateOfCharge
        members["fuel_level"] = self.fuelLevel
        return members
    }
}

extension MachineBoot {
    init?(_ members: TripMembers) {
        guard let id = members.text("id"), let start = members["start"].flatMap({ Int64(exactly: $0.rounded()) })
        else { return nil }
        self.init(id: id, start: Timestamp(milliseconds: start), isSynchronised: members["synchronised"] == 1)
    }

    var members: TripMembers {
        var members = TripMembers()
        members.set("id", self.id)
        members["start"] = Double(self.start.milliseconds)
        members["synchronised"] = self.isSynchronised ? 1 : 0
        return members
    }
}

extension TripTotals {
    init?(_ members: TripMembers) {
        guard let trips = members.count("trips"), let distance = members["distance"],
            let fuel = members["fuel"], let energy = members["energy"], let regenerated = members["regenerated"]
        else { return nil }
        self.init(trips: trips, distance: distance, fuel: fuel, energy: energy, regenerated: regenerated)
    }

    var members: TripMembers {
        var members = TripMembers()
        members.set("trips", self.trips)
        members["distance"] = self.distance
        members["fuel"] = self.fuel
        members["energy"] = self.energy
        members["regenerated"] = self.regenerated
        return members
    }
}
