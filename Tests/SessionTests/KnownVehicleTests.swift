// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Testing

@testable import Session

@Suite("The bitmaps of a vehicle that outlive a session")
struct KnownVehicleTests {
    private static let vins = ["WVWZZZ1JZXW000001", "WVWZZZ1JZXW000002"]
    private static let engine = ECUAddress.can11(0x7E8)
    private static let gearbox = ECUAddress.can11(0x7E9)

    /// Returns an identified vehicle with two ECUs.
    private static func identity(_ vin: String = Self.vins[0], isMapped: Bool = true) -> VehicleIdentity {
        var (engine, gearbox) = (ECUIdentity(), ECUIdentity())
        engine.vin = VIN(vin)
        try? engine.supported.merge(base: 0x00, bitmap: [0xBE, 0x1F, 0xA8, 0x13])
        try? gearbox.supported.merge(base: 0x00, bitmap: [0x80, 0x08, 0x00, 0x00])
        var identity = VehicleIdentity(bus: .can11at500, ecus: [Self.engine: engine, Self.gearbox: gearbox])
        guard isMapped else { return identity }
        try? identity.ecus[Self.engine]?.supported.merge(base: 0x20, bitmap: [0x80, 0x00, 0x00, 0x01])
        try? identity.ecus[Self.engine]?.supported.merge(base: 0x40, bitmap: [0x00, 0x02, 0x00, 0x00])
        identity.isMapped = true
        return identity
    }

    @Test("They are the same after they were written and read")
    func roundTrip() throws {
        let known = try #require(KnownVehicle(Self.identity()))
        #expect(known.ecus[Self.engine]?.contains(0x4F) == true)
        let read = try #require(KnownVehicle(try JSON(parsing: Array(known.json.text.utf8), depthLimit: 8)))
        #expect(read == known && read.bitmapErrands == [0x00, 0x20, 0x40].map(Errand.supportedPIDs))
    }

    @Test("Nothing is kept of a vehicle without a VIN, or while something is not known of it")
    func unknown() {
        #expect(KnownVehicle(Self.identity(isMapped: false)) == nil)
        for change: (inout VehicleIdentity) -> Void in [
            { $0.ecus[Self.engine]?.vin = nil }, { $0.ecus[Self.gearbox]?.vin = VIN(Self.vins[1]) },
            { $0.ecus[Self.gearbox]?.supported = SupportedPIDs() }, { $0.dialect = .manufacturer },
            // An ECU that was silent too often counts as one with an empty bitmap.
            { try? $0.ecus[Self.engine]?.supported.replace(base: 0x40, bitmap: [0, 0, 0, 0]) },
        ] {
            var identity = Self.identity()
            change(&identity)
            #expect(KnownVehicle(identity) == nil)
        }
    }

    @Test("Only the same vehicle on the same bus, with the same ECUs, is known again")
    func others() throws {
        let known = try #require(KnownVehicle(Self.identity()))
        #expect(known.fits(Self.identity(isMapped: false)))
        #expect(!known.fits(Self.identity(Self.vins[1], isMapped: false)))
        for change: (inout VehicleIdentity) -> Void in [
            { $0.bus = .can11at250 }, { $0.dialect = .j1979Part2 }, { $0.ecus[Self.gearbox] = nil },
            { $0.ecus[.can11(0x7EA)] = ECUIdentity() }, { $0.ecus[Self.engine]?.vin = nil },
            { $0.ecus[Self.gearbox]?.supported.insert(0x05) },
        ] {
            var identity = Self.identity(isMapped: false)
            change(&identity)
            #expect(!known.fits(identity))
        }
    }

    @Test("What is damaged is nothing")
    func damage() throws {
        let members = Dictionary(try #require(KnownVehicle(Self.identity())).json.members) { $1 }
        let wrong: [(String, JSON)] = [
            ("vin", "short"), ("vin", .null), ("bus", 300), ("dialect", "x"),
            ("ecus", [["kind": "can12", "address": 1, "bitmaps": [:]]]),
            ("ecus", [["kind": "can11", "address": 1, "bitmaps": ["00": "BE"]]]),
            ("ecus", [["kind": "can11", "address": 1, "bitmaps": ["01": "BE1FA813"]]]),
            // The next bitmap is announced.
            ("ecus", [["kind": "can11", "address": 1, "bitmaps": ["00": "BE1FA813"]]]),
            ("ecus", [["kind": "can11", "address": 1, "bitmaps": ["00": 1]]]),
        ]
        for (name, value) in wrong {
            #expect(KnownVehicle(.object(members.merging([name: value]) { $1 })) == nil, "\(name): \(value)")
        }
        for value in [.null, 1, [], "x"] as [JSON] { #expect(KnownVehicle(value) == nil) }
    }
}
