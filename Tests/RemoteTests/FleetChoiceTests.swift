// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Remote
import Testing

@testable import Subscriber

@Suite("The vehicle that a user means")
struct FleetChoiceTests {
    private static let vin = "ZZZSMVLATR4700893"

    /// Returns a fleet of vehicles with their availability.
    private static func fleet(_ vehicles: [(name: String, availability: String)]) throws -> Fleet {
        var fleet = Fleet(fleetTopics)
        for (name, availability) in vehicles {
            fleet.receive(try message("\(name)/availability", availability))
        }
        return fleet
    }

    @Test("Without a name it is the only one that is known, or else the only one that is online")
    func meant() throws {
        #expect(try Self.fleet([]).meant == .none)
        #expect(try Self.fleet([("van-7", "offline")]).meant == .only("van-7"))
        #expect(try Self.fleet([("van-7", "offline"), ("van-12", "online")]).meant == .onlyOnline("van-12"))
        #expect(try Self.fleet([("van-7", "offline"), ("van-12", "offline")]).meant == .several)
        #expect(try Self.fleet([("a", "online"), ("b", "online"), ("c", "offline")]).meant == .several)
    }

    @Test("A VIN is that of a vehicle also in small letters, and under another name; a name is exact")
    func named() throws {
        var fleet = try Self.fleet([("van-12", "online"), ("WVWZZZ1KZ6W612305", "offline")])
        fleet.receive(try message("van-12/vehicle", #"{"vin": "\#(Self.vin)"}"#))
        #expect(fleet.name(of: "van-12") == "van-12")
        #expect(fleet.name(of: "VAN-12") == nil && fleet.name(of: "van12") == nil)
        #expect(fleet.name(of: Self.vin) == "van-12" && fleet.name(of: Self.vin.lowercased()) == "van-12")
        #expect(fleet.name(of: "wvwzzz1kz6w612305") == "WVWZZZ1KZ6W612305")
        #expect(fleet.name(of: "WVWZZZ1KZ6W612306") == nil)
        // Which of both is meant is not known.
        fleet.receive(try message("van-7/vehicle", #"{"vin": "\#(Self.vin)"}"#))
        #expect(fleet.name(of: Self.vin) == nil)
        // The vehicle that has the VIN as its name.
        fleet.receive(try message("\(Self.vin)/vehicle", #"{"vin": "\#(Self.vin)"}"#))
        #expect(fleet.name(of: Self.vin.lowercased()) == Self.vin)
    }
}
