// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Testing

@testable import ELM327
@testable import Session

private func bytes(_ hex: String) -> [UInt8] { hex.split(separator: " ").compactMap { UInt8($0, radix: 16) } }

@Suite("What answers prove about codes")
struct CodeWatchTests {
    private static let engine = ECUAddress.can11(0x7E8)
    private static let now = MonotonicTime(sinceBoot: .seconds(10))

    private static func status(_ bytes: [UInt8], of vehicle: VehicleIdentity) throws -> ErrandAnswer {
        try TwoECUs.answer(.monitorStatus, [Self.engine: [bytes]], of: vehicle)
    }

    @Test("The same status again is no news; another MIL or count reads the codes, another readiness does not")
    func news() throws {
        var watch = CodeWatch()
        var vehicle = TwoECUs.vehicle()
        vehicle.ecus[TwoECUs.gearbox] = nil
        for (bytes, isNews, readsCodes) in [
            ([0x41, 0x01, 0, 7, 0, 0], true, false), ([0x41, 0x01, 0, 7, 0, 0], false, false),
            ([0x41, 0x01, 0, 7, 1, 1], true, false), ([0x41, 0x01, 1, 7, 1, 1], true, true),
            ([0x41, 0x01, 0x81, 7, 1, 1], true, true),
        ] as [([UInt8], Bool, Bool)] {
            let answer = try Self.status(bytes, of: vehicle)
            guard case .answered(let news, let reads) = watch.monitorsReceived(answer, from: vehicle, at: Self.now)
            else {
                Issue.record("\(bytes) was not heard")
                return
            }
            #expect((news != nil) == isNews && reads == readsCodes, "\(bytes)")
        }
    }

    /// Returns a list after `answers` to its requests, and the number of requests; an empty answer is silence.
    private func list(
        _ state: CodeState,
        _ answers: [[ECUAddress: [[UInt8]]]],
        damaged: Set<Int> = [],
        bus: BusProtocol = .can11at500,
        counting count: UInt8 = 0
    ) throws -> (list: CodeList?, asked: Int) {
        var watch = CodeWatch()
        let vehicle = TwoECUs.vehicle(bus)
        let status = try Self.status([0x41, 0x01, count, 7, 0, 0], of: vehicle)
        _ = watch.monitorsReceived(status, from: vehicle, at: Self.now)
        var asked = 0
        for other in CodeState.allCases {
            var action: CodeWatch.ReadAction
            repeat {
                let isOurs = other == state
                let replies = isOurs ? answers[min(asked, answers.count - 1)] : [:]
                let answer = try TwoECUs.answer(
                    .codes(other),
                    replies,
                    damaged: isOurs && damaged.contains(asked),
                    of: vehicle
                )
                if isOurs { asked += 1 }
                action = watch.read(other, answer, from: vehicle, at: Self.now)
            } while action == .askAgain
            if case .complete(let reading) = action { return (reading.lists[state], asked) }
        }
        return (nil, asked)
    }

    @Test("One silence on CAN proves nothing: the list is asked again, and what comes then counts")
    func silence() throws {
        let codes: [ECUAddress: [[UInt8]]] = [TwoECUs.engine: [[0x47, 1, 3, 1]], TwoECUs.gearbox: [[0x47, 0]]]
        let misfire = TroubleCode.j2012(DTC(rawValue: 0x0301))
        #expect(try self.list(.pending, [[:], codes]) == (.read([TwoECUs.engine: [misfire], TwoECUs.gearbox: []]), 2))
        #expect(try self.list(.pending, [[:], [:]]) == (.notSupported, 2))
        #expect(try self.list(.pending, [codes]).asked == 1)
        // The engine answers only the first request, and the gearbox only the second.
        let halves = [codes.filter { $0.key == TwoECUs.engine }, codes.filter { $0.key == TwoECUs.gearbox }]
        #expect(try self.list(.pending, halves).list == .read([TwoECUs.engine: [misfire], TwoECUs.gearbox: []]))
    }

    @Test("Damage is asked again, and twice damaged is not none")
    func damage() throws {
        let none: [ECUAddress: [[UInt8]]] = [TwoECUs.engine: [[0x47, 0]]]
        #expect(try self.list(.pending, [none], damaged: [0, 1]) == (.failed, 2))
        #expect(try self.list(.pending, [[:]], damaged: [0, 1]) == (.failed, 2))
        // The damaged line may have been the gearbox's, and one silence after it proves nothing.
        #expect(try self.list(.pending, [none], damaged: [0]).list == .failed)
        let both = none.merging([TwoECUs.gearbox: [[0x47, 0]]]) { first, _ in first }
        #expect(
            try self.list(.pending, [none, both], damaged: [0]).list
                == .read([TwoECUs.engine: [], TwoECUs.gearbox: []])
        )
        #expect(try self.list(.stored, [[:], [:]]).list == .failed)
    }

    @Test("Where every ECU says that it has no such service, the list is not supported, which is not none")
    func notSupported() throws {
        let refusing: [ECUAddress: [[UInt8]]] = [
            TwoECUs.engine: [[0x7F, 3, 0x11]], TwoECUs.gearbox: [[0x7F, 3, 0x11]],
        ]
        #expect(try self.list(.stored, [refusing]).list == .notSupported)
        // If one ECU refuses the service and the other is silent, the list stays unknown.
        #expect(try self.list(.stored, [refusing.filter { $0.key == TwoECUs.engine }]).list == .failed)
        #expect(try self.list(.stored, [refusing], damaged: [0, 1]).list == .notSupported)
        #expect(try self.list(.stored, [refusing.mapValues { _ in [[0x7F, 3, 0x22]] }]).list == .failed)
        // An ECU that counts codes has the list, whatever it answers now.
        let counted: [ECUAddress: [[UInt8]]] = [TwoECUs.engine: [[0x7F, 3, 0x7F]], TwoECUs.gearbox: [[0x43, 0]]]
        #expect(try self.list(.stored, [counted], counting: 2).list == .failed)
    }

    @Test("An ECU that refuses the list does not hide the codes of another, and the list is incomplete")
    func oneRefuses() throws {
        let misfire = TroubleCode.j2012(DTC(rawValue: 0x0301))
        for refusal in [[0x7F, 3, 0x22], [0x43, 1]] as [[UInt8]] {
            let answers: [ECUAddress: [[UInt8]]] = [TwoECUs.engine: [[0x43, 1, 3, 1]], TwoECUs.gearbox: [refusal]]
            #expect(try self.list(.stored, [answers]) == (.incomplete([TwoECUs.engine: [misfire]]), 2))
        }
        // If the only readable list is empty, the codes stay unknown.
        let none: [ECUAddress: [[UInt8]]] = [TwoECUs.engine: [[0x43, 0]], TwoECUs.gearbox: [[0x7F, 3, 0x22]]]
        #expect(try self.list(.stored, [none]).list == .failed)
    }

    // MARK: - J1979-2

    /// Reads all lists of a vehicle of J1979-2 without readiness; `answers` has those by group and by state alone.
    private func part2(
        _ answers: [Errand: [ECUAddress: [UInt8]]]
    ) throws -> (reading: CodeReading, asked: [Errand]) {
        var watch = CodeWatch()
        let ecus = [TwoECUs.engine: ECUIdentity(), TwoECUs.gearbox: ECUIdentity()]
        var vehicle = VehicleIdentity(bus: .can11at500, dialect: .j1979Part2, ecus: ecus)
        var errands = CodeState.allCases.map(Errand.codes)
        var asked: [Errand] = []
        while let errand = errands.first {
            try #require(asked.count < 20)
            asked.append(errand)
            let answer = try TwoECUs.answer(errand, (answers[errand] ?? [:]).mapValues { [$0] }, of: vehicle)
            let state: CodeState
            switch errand {
            case .codes(let list), .ungroupedCodes(let list): state = list
            default: continue
            }
            switch watch.read(state, answer, from: vehicle, at: Self.now) {
            case .askAgain: continue
            case .askUngrouped: errands[0] = .ungroupedCodes(state)
            case .lacksGroups:
                watch.begin()
                vehicle.knowsGroups = false
            case .incomplete: errands.removeFirst()
            case .complete(let reading): return (reading, asked)
            }
        }
        throw SessionError.notConnected
    }

    private static let misfire = TroubleCode.j2012Failure(DTC(rawValue: 0x0301), type: 0)
    private static let gear = TroubleCode.j2012Failure(DTC(rawValue: 0x0741), type: 0)

    @Test("An ECU that answers only 19 02 is asked by it, and its codes are merged with those of the other, each once")
    func merged() throws {
        let (reading, asked) = try self.part2([
            .codes(.stored): [TwoECUs.engine: bytes("59 42 33 FF FF 04 44 03 01 00 08")],
            // The engine answers this too, with a code of another group.
            .ungroupedCodes(.stored): [
                TwoECUs.engine: bytes("59 02 FF 03 01 00 08 C1 00 00 08"),
                TwoECUs.gearbox: bytes("59 02 FF 07 41 00 88"),
            ],
            .codes(.pending): [
                TwoECUs.engine: bytes("59 42 33 FF FF 04"), TwoECUs.gearbox: bytes("59 42 33 FF FF 04"),
            ],
        ])
        #expect(reading.isKnown)
        #expect(reading.lists[.stored] == .read([TwoECUs.engine: [Self.misfire], TwoECUs.gearbox: [Self.gear]]))
        #expect(reading.severity(of: Self.misfire, in: TwoECUs.engine)?.action == .checkAtNextHalt)
        #expect(reading.severity(of: Self.misfire, in: TwoECUs.engine)?.malfunctionClass == 2)
        #expect(reading.severity(of: Self.gear, in: TwoECUs.gearbox)?.malfunctionClass == nil)
        // If all ECUs answer by the group, the second request is not sent.
        #expect(asked.contains(.ungroupedCodes(.stored)) && !asked.contains(.ungroupedCodes(.pending)))
        #expect(!asked.contains(.ungroupedCodes(.permanent)))
    }

    @Test("An ECU that refuses 19 42 for now, and does not know 19 02, may have codes")
    func refusedGroups() throws {
        let (reading, _) = try self.part2([
            .codes(.stored): [TwoECUs.engine: bytes("7F 19 22"), TwoECUs.gearbox: bytes("59 42 33 FF FF 04")],
            .ungroupedCodes(.stored): [TwoECUs.engine: bytes("7F 19 12")],
        ])
        #expect(!reading.isKnown)
    }

    @Test("The lamp follows from the status of the codes, and is off only if every ECU has said so")
    func lamp() throws {
        func mil(_ engine: String, _ gearbox: String?) throws -> Bool? {
            var answers = [TwoECUs.engine: bytes(engine)]
            answers[TwoECUs.gearbox] = gearbox.map { bytes($0) }
            return try self.part2([.ungroupedCodes(.stored): answers]).reading.mil
        }
        #expect(try mil("59 02 FF 03 01 00 88", "59 02 FF") == true)
        #expect(try mil("59 02 FF 03 01 00 88", nil) == true)
        #expect(try mil("59 02 FF 03 01 00 08", "59 02 FF") == false)
        #expect(try mil("59 02 FF 03 01 00 08", nil) == nil)
        // An ECU that does not keep the state says nothing about the lamp.
        #expect(try mil("59 02 FF 03 01 00 08", "59 02 7F 07 41 00 08") == nil)
    }

    @Test("An ECU that answers neither request leaves the list incomplete, with the codes of the other")
    func neither() throws {
        let (reading, asked) = try self.part2([
            .codes(.stored): [TwoECUs.engine: bytes("59 42 33 FF FF 04 04 03 01 00 08")]
        ])
        #expect(!reading.isKnown)
        #expect(reading.lists[.stored] == .incomplete([TwoECUs.engine: [Self.misfire]]))
        #expect(reading.lists[.pending] == .failed)
        #expect(asked.filter { $0 == .ungroupedCodes(.stored) }.count == 2)
    }

    @Test("On the older buses a list that is shorter than the count is asked again, and must be the same twice")
    func older() throws {
        let first: [UInt8] = [0x43, 3, 1, 3, 2, 3, 3]
        let second: [UInt8] = [0x43, 3, 4, 0, 0, 0, 0]
        let whole: [ECUAddress: [[UInt8]]] = [TwoECUs.engine: [first, second]]
        let part: [ECUAddress: [[UInt8]]] = [TwoECUs.engine: [first]]
        let codes = [0x0301, 0x0302, 0x0303, 0x0304].map { TroubleCode.j2012(DTC(rawValue: $0)) }
        #expect(try self.list(.stored, [whole], bus: .iso9141, counting: 0x84) == (.read([TwoECUs.engine: codes]), 1))
        #expect(try self.list(.stored, [part, whole], bus: .iso9141, counting: 0x84) == (.failed, 2))
        #expect(
            try self.list(.stored, [part, part], bus: .iso9141, counting: 0x84).list
                == .read([TwoECUs.engine: Array(codes.prefix(3))])
        )
        // The dropped line may have been the rest of the list.
        #expect(try self.list(.stored, [part], damaged: [0, 1], bus: .iso9141, counting: 0x83).list == .failed)
    }
}
