// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@testable import ELM327
@testable import Session

@Suite("Who the vehicle is")
struct IdentificationTests {
    private static let engine = ECUAddress.can11(0x7E8)
    private static let gearbox = ECUAddress.can11(0x7E9)

    private static func identification() -> Identification {
        var report = AdapterReport()
        report.bus = .can11at500
        report.ecus = [Self.engine: [[0x41, 0x00, 0x80, 0x18, 0, 1]]]
        return Identification(report)
    }

    @Test("An ECU is met once, and not by refusing something")
    func met() {
        var identification = Self.identification()
        #expect(identification.met([Self.engine: .positive([])]) == .known)
        #expect(identification.met([Self.gearbox: .negative(0x12)]) == .known)
        #expect(identification.met([Self.gearbox: .positive([])]) == .ask(.supportedPIDs(0x00)))
        #expect(identification.met([Self.gearbox: .positive([])]) == .known)
    }

    @Test("A bitmap that was announced is asked twice at most")
    func bitmaps() {
        var identification = Self.identification()
        #expect(identification.merge(base: 0x00, [:]) == .ask(.supportedPIDs(0x20)))
        #expect(identification.merge(base: 0x20, [:]) == .ask(.supportedPIDs(0x20)))
        #expect(identification.merge(base: 0x20, [:]) == .complete)
    }

    @Test("A missing VIN is asked again, a damaged one until there is no hope")
    func vin() {
        var missing = Self.identification()
        #expect(missing.told(vin: [:], isDamaged: false) == .askAgain)
        #expect(missing.told(vin: [:], isDamaged: false) == .identified(asksLater: true))
        #expect(missing.told(vin: [:], isDamaged: false) == .identified(asksLater: false))
        var damaged = Self.identification()
        for _ in 0..<Identification.damagedVINLimit {
            #expect(!damaged.isHopeless)
            #expect(damaged.told(vin: [:], isDamaged: true) == .askAgain)
        }
        #expect(damaged.isHopeless && !damaged.isIdentified)
    }
}
