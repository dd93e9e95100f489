// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2
import Parking
import Session
import Testing

@testable import Agent

@Suite("The begin and the end of a charge")
struct ChargeWatchTests {
    private static func time(_ seconds: Int) -> MonotonicTime { MonotonicTime(sinceBoot: .seconds(seconds)) }

    private static func sample(_ name: String, _ role: ParameterRole, _ value: Double, at seconds: Int) throws -> Sample
    {
        let symbol = role == .chargedEnergy ? "kWh" : "%"
        let field = Field(custom: name, try Formula("A"), symbol: symbol, role: role)
        return Sample(
            value: FieldValue(field: field, value: .number(value)),
            ecu: .can11(0x7EC),
            time: Self.time(seconds)
        )
    }

    private static func report(_ ignition: IgnitionState, isParked: Bool = false) -> ParkingReport {
        ParkingReport(ignition: ignition, isParked: isParked)
    }

    @Test("A charge is told with its state of charge, its duration and its energy")
    func whole() throws {
        var watch = ChargeWatch()
        watch.samplesReceived([
            try Self.sample("soc", .stateOfCharge, 40, at: 100),
            try Self.sample("energy", .chargedEnergy, 1000, at: 100),
        ])
        let begun = watch.ignitionChanged(to: Self.report(.charging), at: Self.time(101))
        let start = try #require(begun)
        #expect(start.event == .chargingStarted && start.stateOfCharge == 40)
        watch.samplesReceived([
            try Self.sample("soc", .stateOfCharge, 60, at: 3690),
            try Self.sample("energy", .chargedEnergy, 1011, at: 3690),
        ])
        let ended = watch.ignitionChanged(to: Self.report(.on), at: Self.time(3701))
        let end = try #require(ended)
        #expect(end.event == .chargingStopped && end.stateOfCharge == 60 && end.duration == 3600 && end.energy == 11)
    }

    @Test("Values from before are not told: a state of charge has an age, and the energy counts from the charge on")
    func stale() throws {
        var watch = ChargeWatch()
        watch.samplesReceived([
            try Self.sample("soc", .stateOfCharge, 40, at: 0), try Self.sample("energy", .chargedEnergy, 1000, at: 0),
        ])
        let begun = watch.ignitionChanged(to: Self.report(.charging), at: Self.time(40_000))
        let start = try #require(begun)
        #expect(start.stateOfCharge == nil)
        // Meanwhile it was charged elsewhere.
        watch.samplesReceived([try Self.sample("energy", .chargedEnergy, 1040, at: 40_010)])
        watch.samplesReceived([try Self.sample("energy", .chargedEnergy, 1045, at: 41_000)])
        let ended = watch.ignitionChanged(to: Self.report(.on), at: Self.time(41_010))
        let end = try #require(ended)
        #expect(end.energy == 5)
    }

    @Test("A silence in a charge is no end of it, until the vehicle is left alone")
    func silence() throws {
        var watch = ChargeWatch()
        _ = watch.ignitionChanged(to: Self.report(.charging), at: Self.time(0))
        for ignition in [IgnitionState.off, .unknown, .charging, .off] {
            let event = watch.ignitionChanged(to: Self.report(ignition), at: Self.time(60))
            #expect(event == nil)
        }
        let end = watch.ignitionChanged(to: Self.report(.off, isParked: true), at: Self.time(120))
        #expect(end?.event == .chargingStopped && end?.duration == 120)
        let second = watch.ignitionChanged(to: Self.report(.off, isParked: true), at: Self.time(180))
        #expect(second == nil)
    }
}
