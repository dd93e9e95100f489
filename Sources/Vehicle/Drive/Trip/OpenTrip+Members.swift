// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

// The stored form of a trip that goes on. The readings themselves are not part of it: the next one comes after a gap.
extension OpenTrip {
    init?(_ members: TripMembers) {
        guard let start = members.members("start").flatMap(TripPoint.init),
            let end = members.members("end").flatMap(TripPoint.init), let firstSeen = members.time("first_seen"),
            let lastSeen = members.time("last_seen"), let lastSign = members.time("last_sign")
        else { return nil }
        self.init(at: firstSeen, after: members.anchor("earlier_odometer"))
        (self.start, self.end, self.lastSeen, self.lastSign) = (start, end, lastSeen, lastSign)
        self.boot = members.members("boot").flatMap(MachineBoot.init)
        self.isAnnounced = true
        self.newest = TripFigures(members)
        self.figures = members.members("figures").map(TripFigures.init) ?? self.newest
        self.coolantAtStart = members["coolant"]
        if let seconds = members["run_time"], let time = members.time("run_time_read") {
            self.runTime = RunTime(seconds: seconds, time: time)
        }
        self.codes = TripCodes(appeared: members.texts("appeared"), gone: members.texts("gone"))
        self.places = TripPlaces(
            start: self.start.place,
            newest: members.time("place_time").map { .init(place: members.place("place"), time: $0) },
            movedAt: members.time("moved")
        )
    }

    var members: TripMembers {
        var members = TripMembers()
        var start = self.start
        start.place = self.places.start
        members.set("start", start.members)
        members.set("end", self.end.members)
        members.set("place", self.places.newest?.place)
        members.set("place_time", self.places.newest?.time)
        members.set("moved", self.places.movedAt)
        members.set("first_seen", self.firstSeen)
        members.set("last_seen", self.lastSeen)
        members.set("last_sign", self.lastSign)
        members.set("boot", self.boot?.members)
        self.newest.write(to: &members)
        if self.figures != self.newest {
            var figures = TripMembers()
            self.figures.write(to: &figures)
            members.set("figures", figures)
        }
        members["coolant"] = self.coolantAtStart
        members["run_time"] = self.runTime?.seconds
        members.set("run_time_read", self.runTime?.time)
        members.set("appeared", self.codes.appeared)
        members.set("gone", self.codes.gone)
        return members
    }
}

extension TripFigures {
    init(_ members: TripMembers) {
        self.missed = members["missed"] ?? 0
        self.motion = TripMotion(members)
        self.distance.earlier = members.anchor("earlier_odometer")
        self.distance.first = members.anchor("first_odometer")
        self.distance.last = members.anchor("last_odometer")
        self.distance.isFirstFixed = true
        self.fuel = TripFuel(
            source: members.text("fuel_source"),
            used: members["fuel"] ?? 0,
            watched: members["fuel_watched"] ?? 0
        )
        self.energy = TripEnergy(
            source: members.text("energy_source").flatMap(Trip.EnergySource.init),
            flow: TripEnergy.Flow(
                positive: members["energy_positive"] ?? 0,
                negative: members["energy_negative"] ?? 0,
                watched: members["energy_watched"] ?? 0
            )
        )
        self.engineSpeeds = TimeBands(.engineSpeed, seconds: members.numbers("engine_speeds")) ?? .engineSpeed
        self.engineLoads = TimeBands(.engineLoad, seconds: members.numbers("engine_loads")) ?? .engineLoad
    }

    func write(to members: inout TripMembers) {
        members["missed"] = self.missed
        self.motion.write(to: &members)
        members.set("earlier_odometer", self.distance.earlier)
        members.set("first_odometer", self.distance.first)
        members.set("last_odometer", self.distance.last)
        members.set("fuel_source", self.fuel.source)
        members["fuel"] = self.fuel.used
        members["fuel_watched"] = self.fuel.watched
        members.set("energy_source", self.energy.source?.rawValue)
        members["energy_positive"] = self.energy.flow.positive
        members["energy_negative"] = self.energy.flow.negative
        members["energy_watched"] = self.energy.flow.watched
        members.set("engine_speeds", self.engineSpeeds.seconds)
        members.set("engine_loads", self.engineLoads.seconds)
    }
}

extension TripMotion {
    init(_ members: TripMembers) {
        self.distance = members["distance"] ?? 0
        self.watched = members["watched"] ?? 0
        self.moving = members["moving"] ?? 0
        self.idling = members["idling"] ?? 0
        self.dense = members["dense"] ?? 0
        self.maximum = members["maximum_speed"]
        self.brakings = members.count("brakings") ?? 0
        self.accelerations = members.count("accelerations") ?? 0
        self.overSpeeds = members.count("over_speeds")
    }

    func write(to members: inout TripMembers) {
        members["distance"] = self.distance
        members["watched"] = self.watched
        members["moving"] = self.moving
        members["idling"] = self.idling
        members["dense"] = self.dense
        members["maximum_speed"] = self.maximum
        members.set("brakings", self.brakings)
        members.set("accelerations", self.accelerations)
        members.set("over_speeds", self.overSpeeds)
    }
}
