// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration
import ELM327
import EventLoop
import OBD2
import Session
import Testing

@testable import Agent

@Suite("What vehicles are called")
struct VehicleNamingTests {
    private static let machine = MachineIdentity(agent: "a1b2c3d4e5f6", boot: "boot")
    private static let first = "1HGCM82633A004352"
    private static let second = "WVWZZZ1JZ3W386752"

    private static func naming(
        _ rules: Configuration.Vehicle,
        key: [UInt8] = [1, 2, 3]
    ) -> VehicleNaming {
        VehicleNaming(rules, Self.machine, key: key)
    }

    private static func vehicle(_ vins: String?..., calibration: String? = nil) -> VehicleIdentity {
        var identity = VehicleIdentity(bus: .can11at500, ecus: [:])
        for (index, vin) in vins.enumerated() {
            var ecu = ECUIdentity()
            ecu.vin = vin.flatMap(VIN.init)
            ecu.calibrationIDs = calibration.map { [$0] } ?? []
            identity.ecus[.can11(0x7E8 + UInt16(index))] = ecu
        }
        return identity
    }

    @Test("By the VIN, and where there is none by what tells it from others")
    func vin() {
        let naming = Self.naming(.init())
        #expect(naming.own == "agent-a1b2c3d4e5f6")
        let known = naming.identify(Self.vehicle(Self.first))
        #expect(known.name == Self.first && known.vin?.description == Self.first)
        let names = ["A", "B", "A"].map { naming.identify(Self.vehicle(nil, calibration: $0)).name }
        #expect(names[0] == names[2] && names[0] != names[1])
        #expect(names.allSatisfy { $0.hasPrefix("ecu-") && $0.count == 16 })
        // Who disagree have none.
        #expect(naming.identify(Self.vehicle(Self.first, Self.second)).name.hasPrefix("ecu-"))
        let expecting = Self.naming(.init(expected: Set([VIN(Self.second)].compactMap(\.self))))
        #expect(expecting.identify(Self.vehicle(Self.first, Self.second)).name == Self.second)
        #expect(expecting.expects(Self.vehicle(Self.first, Self.second)))
    }

    @Test("A hash is the same with the same key, another one with others, and shows no VIN")
    func hash() {
        let naming = Self.naming(.init(identity: .hash))
        let found = naming.identify(Self.vehicle(Self.first))
        #expect(found.vin == nil && found.name.hasPrefix("v-") && found.name.count == 18)
        #expect(naming.identify(Self.vehicle(Self.first)) == found)
        #expect(naming.identify(Self.vehicle(Self.second)).name != found.name)
        let other = Self.naming(.init(identity: .hash), key: [1, 2, 4])
        #expect(other.identify(Self.vehicle(Self.first)).name != found.name)
        // What was remembered before VINs were hidden is still known.
        #expect(found.marks == [found.name, Self.first])
    }

    @Test("An alias where there is one, else the hash")
    func alias() throws {
        let vin = try #require(VIN(Self.first))
        let naming = Self.naming(.init(identity: .alias, aliases: [vin: "van-12"]))
        let found = naming.identify(Self.vehicle(Self.first))
        #expect(found.name == "van-12" && found.vin == nil)
        #expect(naming.identify(Self.vehicle(Self.second)).name.hasPrefix("v-"))
    }

    @Test("The configured name belongs to one vehicle")
    func name() throws {
        let naming = Self.naming(.init(name: "van"))
        let (first, second) = (
            naming.identify(Self.vehicle(Self.first)), naming.identify(Self.vehicle(Self.second))
        )
        #expect(naming.level(of: first, nameBelongsTo: nil) == "van")
        #expect(naming.level(of: first, nameBelongsTo: first.marks.first) == "van")
        #expect(naming.level(of: second, nameBelongsTo: first.marks.first) == Self.second)
        // By a hash of before, and by the VIN of before.
        #expect(first.marks.allSatisfy { naming.level(of: first, nameBelongsTo: $0) == "van" })
        let moved = Self.naming(.init(name: "van", expected: Set([VIN(Self.second)].compactMap(\.self))))
        #expect(moved.level(of: second, nameBelongsTo: first.marks.first) == "van")
    }

    @Test("Only what is expected is read, and only that is spoken for before anybody has asked")
    func expected() throws {
        let vin = try #require(VIN(Self.first))
        let naming = Self.naming(.init(expected: [vin]))
        #expect(naming.expects(Self.vehicle(Self.first)))
        #expect(!naming.expects(Self.vehicle(Self.second)) && !naming.expects(Self.vehicle(nil)))
        #expect(naming.expects(mark: Self.first) && !naming.expects(mark: Self.second) && !naming.expects(mark: nil))
        let hidden = Self.naming(.init(identity: .hash, expected: [vin]))
        #expect(hidden.expects(mark: hidden.identify(Self.vehicle(Self.first)).name))
        #expect(Self.naming(.init()).expects(Self.vehicle(nil)) && Self.naming(.init()).expects(mark: nil))
    }
}
