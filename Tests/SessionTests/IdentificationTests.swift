// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
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
    func answers() {
        var identification = Self.identification()
        #expect(identification.ecusAnswered([Self.engine: .positive([])]) == .known)
        #expect(identification.ecusAnswered([Self.gearbox: .negative(0x12)]) == .known)
        #expect(identification.ecusAnswered([Self.gearbox: .positive([])]) == .ask(.supportedPIDs(0x00)))
        #expect(identification.ecusAnswered([Self.gearbox: .positive([])]) == .known)
    }

    @Test("A bitmap that was announced is asked twice at once, and then in idle time")
    func bitmaps() throws {
        let now = MonotonicTime(sinceBoot: .seconds(10))
        var identification = Self.identification()
        func silence() throws -> ErrandAnswer {
            try TwoECUs.answer(.supportedPIDs(0x20), [:], of: identification.identity)
        }
        #expect(identification.bitmapReceived(0x00, try silence(), at: now) == .ask(.supportedPIDs(0x20)))
        #expect(identification.bitmapReceived(0x20, try silence(), at: now) == .ask(.supportedPIDs(0x20)))
        #expect(identification.mapping.next == nil)
        #expect(identification.bitmapReceived(0x20, try silence(), at: now) == .complete(isNews: true))
        let next = try #require(identification.mapping.next)
        #expect(next.errand == .supportedPIDs(0x20) && next.time == now + .seconds(5))
        #expect(identification.bitmapReceived(0x20, try silence(), at: next.time) == .complete(isNews: false))
        #expect(identification.mapping.next?.time == next.time + .seconds(10))
    }

    @Test("A missing VIN is asked again, a damaged one until there is no hope")
    func vin() {
        var missing = Self.identification()
        #expect(missing.vinReceived([:], isDamaged: false) == .askAgain)
        #expect(missing.vinReceived([:], isDamaged: false) == .ask(.information(.calibrationIDs)))
        #expect(!missing.isIdentified)
        var damaged = Self.identification()
        for _ in 0..<Identification.damagedVINLimit {
            #expect(!damaged.isHopeless)
            #expect(damaged.vinReceived([:], isDamaged: true) == .askAgain)
        }
        #expect(damaged.isHopeless && !damaged.isIdentified)
    }

    private static func told(_ vin: String) throws -> [ECUAddress: Reply] {
        let message = [0x49, 0x02, 1] + Array(vin.utf8)
        return [Self.engine: try Reply(messages: [message], to: .vehicleInformation(.vin))]
    }

    @Test("A VIN whose check digit is wrong is asked again, and believed if it comes the same")
    func doubtful() throws {
        let (wrong, right) = ("1HGCM82633A004353", "1HGCM82633A004352")
        var same = Self.identification()
        #expect(same.vinReceived(try Self.told(wrong), isDamaged: false) == .askAgain)
        #expect(same.vinReceived(try Self.told(wrong), isDamaged: false) == .identified(asksLater: false))
        #expect(same.identity.vin?.description == wrong)
        var spoilt = Self.identification()
        #expect(spoilt.vinReceived(try Self.told(wrong), isDamaged: false) == .askAgain)
        #expect(spoilt.identity.vin == nil && !spoilt.isIdentified)
        #expect(spoilt.vinReceived(try Self.told(right), isDamaged: false) == .identified(asksLater: false))
        #expect(spoilt.identity.vin?.description == right)
        var never = Self.identification()
        for digit in 3..<7 {
            #expect(never.vinReceived(try Self.told("1HGCM82633A00435\(digit)"), isDamaged: false) == .askAgain)
        }
        #expect(never.isHopeless)
    }

    @Test("What tells a vehicle without a VIN from others are its calibrations, or what its engine's ECU supports")
    func fingerprint() {
        var identity = VehicleIdentity(bus: .can11at500, ecus: [Self.engine: ECUIdentity()])
        identity.ecus[Self.engine]?.supported.insert(0x0C)
        identity.ecus[Self.engine]?.supported.insert(0x42)
        #expect(identity.fingerprint == ["7E8", "0C"])
        identity.ecus[Self.gearbox] = ECUIdentity()
        #expect(identity.fingerprint == ["7E8", "0C"])
        identity.ecus[Self.gearbox]?.calibrationIDs = ["B", "A"]
        #expect(identity.fingerprint == ["7E9 B A"])
        identity.ecus[Self.engine]?.calibrationIDs = ["C"]
        #expect(identity.fingerprint == ["7E8 C", "7E9 B A"])
    }
}
