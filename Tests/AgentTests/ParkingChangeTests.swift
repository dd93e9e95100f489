// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Parking
import Session
import Testing

@testable import Agent

@Suite("Changes in whether the vehicle is in use")
struct ParkingChangeTests {
    private static func kinds(_ before: ParkingReport?, _ report: ParkingReport) -> [AgentEvent.Kind] {
        ParkingChange(from: before, to: report, shown: nil).events.map(\.event)
    }

    @Test("Parking is an event, unless the adapter was lost or the first report says it")
    func parked() {
        let inUse = ParkingReport(ignition: .on, isParked: false)
        #expect(Self.kinds(inUse, ParkingReport(ignition: .off, isParked: true)) == [.parked])
        #expect(Self.kinds(inUse, ParkingReport(ignition: .off, isParked: true, hasLostAdapter: true)).isEmpty)
        #expect(Self.kinds(nil, ParkingReport(ignition: .off, isParked: true)).isEmpty)
    }

    @Test("A low battery is an event once, with the voltage in hundredths")
    func batteryLow() {
        let low = ParkingReport(ignition: .off, isParked: true, voltage: 11.4049, isBatteryLow: true)
        let change = ParkingChange(from: nil, to: low, shown: nil)
        #expect(change.events.map(\.event) == [.batteryLow] && change.events.first?.voltage == 11.4)
        #expect(Self.kinds(low, low).isEmpty)
    }

    @Test("A small change of the voltage alone waits for the next status")
    func status() {
        let before = ParkingReport(ignition: .off, isParked: true, voltage: 12.6)
        var report = before
        report.voltage = 12.4
        #expect(!ParkingChange(from: before, to: report, shown: 12.6).changesStatus)
        report.ignition = .on
        #expect(ParkingChange(from: before, to: report, shown: 12.6).changesStatus)
        #expect(ParkingChange(from: nil, to: before, shown: 12.6).changesStatus)
    }

    @Test("The voltage of the turning starter stays in no status: the next one follows at once")
    func cranking() {
        var report = ParkingReport(ignition: .running, isParked: false, voltage: 10.3)
        let before = report
        report.voltage = 14.2
        #expect(ParkingChange(from: before, to: report, shown: 10.3).changesStatus)
        #expect(!ParkingChange(from: report, to: report, shown: 14.2).changesStatus)
        // What an earlier status had counts, however small the steps are.
        #expect(ParkingChange(from: report, to: report, shown: 13.7).changesStatus)
        #expect(ParkingChange(from: report, to: report, shown: nil).changesStatus)
    }
}
