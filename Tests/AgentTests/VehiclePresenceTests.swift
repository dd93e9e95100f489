// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import Contract
import ELM327
import OBD2
import Session
import Testing

@testable import Agent

@Suite("The state of the connected vehicle")
struct VehiclePresenceTests {
    private static let first = VIN("1HGCM82633A004352")
    private static let identity: VehicleIdentity = {
        var identity = VehicleIdentity(bus: .can11at500, ecus: [:])
        identity.isMapped = true
        return identity
    }()

    private static func topics(_ name: String) throws -> VehicleTopics {
        try VehicleTopics(prefix: try Topic("obd"), vehicle: name)
    }

    private static func time(_ seconds: Int) -> MonotonicTime { .zero + .seconds(seconds) }

    /// A presence whose vehicle was identified over a link that came up at 10 s.
    private static func confirmed() throws -> VehiclePresence {
        var presence = VehiclePresence(try Self.topics("van"))
        _ = presence.linkChanged(.connected(Self.report), at: Self.time(10))
        _ = presence.vehicleIdentified(Self.identity, vin: Self.first)
        return presence
    }

    private static let report = AdapterReport()

    @Test("The first identification records the connection with its own time, and a later one records nothing")
    func identified() throws {
        var presence = VehiclePresence(try Self.topics("van"))
        #expect(presence.isBeingIdentified && !presence.isConfirmed && !presence.ownsSupply)
        #expect(presence.linkChanged(.connected(Self.report), at: Self.time(10)) == nil)
        #expect(!presence.isConfirmed)
        let events = presence.vehicleIdentified(Self.identity, vin: Self.first)
        #expect(events.map(\.event.event) == [.connected, .vehicleIdentified])
        #expect(events.map(\.time) == [Self.time(10), nil])
        #expect(presence.isConfirmed && !presence.isBeingIdentified && presence.ownsSupply)
        #expect(presence.vin == Self.first)
        #expect(presence.vehicleIdentified(Self.identity, vin: Self.first).isEmpty)
    }

    @Test("A vehicle that an earlier process knew counts as the previous one", arguments: [true, false])
    func changed(isRemembered: Bool) throws {
        var presence = VehiclePresence(try Self.topics("van"))
        if isRemembered { presence.remembered() }
        _ = presence.linkChanged(.connected(Self.report), at: Self.time(10))
        presence.topicsChanged(to: try Self.topics("bus"))
        let events = presence.vehicleIdentified(Self.identity, vin: nil).map(\.event)
        let expected: [AgentEvent.Kind] = [.connected, .vehicleChanged, .vehicleIdentified]
        #expect(events.map(\.event) == expected.filter { isRemembered || $0 != .vehicleChanged })
        #expect(events.compactMap(\.previous) == (isRemembered ? ["van"] : []))
        #expect(presence.name == "bus")
    }

    @Test("Only the loss of a confirmed vehicle is an event, and parking is none")
    func lost() throws {
        var presence = try Self.confirmed()
        let event = presence.linkChanged(.waiting(.link(.closed), .seconds(1)), at: Self.time(20))
        #expect(event?.event == .disconnected)
        #expect(presence.contact == .waiting && !presence.ownsSupply && !presence.isBeingIdentified)
        #expect(presence.linkChanged(.waiting(.link(.closed), .seconds(1)), at: Self.time(21)) == nil)
        #expect(presence.linkChanged(.connecting, at: Self.time(22)) == nil)
        #expect(presence.isBeingIdentified)

        presence = try Self.confirmed()
        #expect(presence.linkChanged(.parked, at: Self.time(20)) == nil)
        #expect(!presence.isConfirmed && presence.ownsSupply)
    }

    @Test("Positions are those of the vehicle once it was identified since the start, also without a link")
    func positions() throws {
        #expect(!VehiclePresence(try VehicleTopics(prefix: try Topic("obd"), vehicle: "v-1")).ownsReceiver)
        var presence = try Self.confirmed()
        #expect(presence.ownsReceiver)
        _ = presence.linkChanged(.waiting(.link(.closed), .zero), at: Self.time(20))
        #expect(presence.ownsReceiver && !presence.ownsSupply)
    }

    @Test("An unexpected vehicle is one event, until an expected one comes")
    func unexpected() throws {
        var presence = try Self.confirmed()
        let found = VehicleNaming.Identified(name: "v-2", marks: ["v-2"])
        let event = presence.unexpectedVehicleFound(found)
        #expect(event?.event == .wrongVehicle && event?.vehicle == "v-2")
        #expect(presence.contact == .unexpected && presence.vin == nil && !presence.ownsSupply)
        #expect(!presence.ownsReceiver)
        #expect(presence.linkChanged(.waiting(.vehicleUnexpected, .zero), at: Self.time(20)) == nil)
        #expect(presence.unexpectedVehicleFound(found) == nil)
        #expect(presence.unexpectedName == "v-2")
        #expect(presence.vehicleIdentified(Self.identity, vin: Self.first).count == 1)
        #expect(presence.unexpectedName == nil && presence.ownsReceiver)
        #expect(presence.unexpectedVehicleFound(found) != nil)
    }
}
