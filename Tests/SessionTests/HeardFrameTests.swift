// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Parking
import Simulator
import SocketCAN
import Synchronization
import Testing

@testable import Session

@Suite("Values in frames that nodes send by themselves", .timeLimit(.minutes(10)))
struct HeardFrameTests {
    private static func parameter(
        _ name: String,
        _ header: Destination.Header,
        _ formula: String,
        _ range: ClosedRange<Double> = 0...1_000_000,
        multiplex: FrameSource.Multiplex? = nil
    ) throws -> CustomParameter {
        let frame: FrameSource = try #require(FrameSource(header, multiplex: multiplex))
        return CustomParameter(.frame(frame), field: Field(custom: name, try Formula(formula), range: range))
    }

    /// Returns the milliseconds of a time in the last two bytes of a frame.
    private static func stamp(_ time: MonotonicTime) -> [UInt8] {
        let number = UInt16(truncatingIfNeeded: time.sinceBoot.milliseconds)
        return [UInt8(number >> 8), UInt8(number & 0xFF)]
    }

    /// Returns the number of requests in the first minute: on a busy machine a run ends a little later than it is told to.
    private static func sentInAMinute(_ rig: CANRig) -> Int {
        rig.sent.count { $0.time < CANRig.start + .seconds(60) }
    }

    /// Whether a sample has the time at which its frame was sent.
    private static func isTimed(_ sample: Sample) -> Bool {
        sample.value.value == .number(Double(UInt16(truncatingIfNeeded: sample.time.sinceBoot.milliseconds)))
    }

    /// The time in which the plug may be put into another vehicle.
    private static let pause = CANRig.start + .seconds(40)..<CANRig.start + .seconds(44)

    private static let clock = SimulatedPort.Broadcast(
        identifier: CANIdentifier(0x1A0, isExtended: false),
        interval: .milliseconds(10),
        data: { [0xAA] + Self.stamp($0) }
    )

    @Test("A value comes at its interval, is that of its moment, and costs no request")
    func values() async throws {
        let intervals: [ParameterKey: Duration] = [0x0C: .milliseconds(500), .custom("clock"): .milliseconds(500)]
        let custom = [try Self.parameter("clock", .can11(0x1A0), "uint16(B, C)")]
        var conditions = SimulatedPort.Conditions()
        conditions.broadcasts = [Self.clock]
        let rig = CANRig(conditions: conditions, intervals: intervals, custom: custom)
        await rig.run(for: .seconds(60))
        let log = rig.log.contents
        let heard = log.samples.filter { $0.value.field.name == "clock" }
        #expect((110...122).contains(heard.count), "\(heard.count)")
        #expect(heard.allSatisfy { Self.isTimed($0) && $0.ecu == .can11(0x1A0) && $0.isAddressed })
        let pauses = zip(heard, heard.dropFirst()).map { $1.time - $0.time }
        #expect(pauses.allSatisfy { $0 >= .milliseconds(370) && $0 <= .milliseconds(650) }, "\(pauses.max() ?? .zero)")
        #expect(log.wrong.isEmpty && log.dropped == 0)
        let other = CANRig(conditions: conditions, intervals: [0x0C: .milliseconds(500)], custom: custom)
        await other.run(for: .seconds(60))
        let (count, otherCount) = (Self.sentInAMinute(rig), Self.sentInAMinute(other))
        #expect(abs(count - otherCount) <= 3, "\(count) instead of \(otherCount)")
    }

    @Test("With nothing else selected the values come as soon, and nothing is asked for them")
    func alone() async throws {
        let custom = [try Self.parameter("clock", .can11(0x1A0), "uint16(B, C)")]
        var conditions = SimulatedPort.Conditions()
        conditions.broadcasts = [Self.clock]
        let rig = CANRig(conditions: conditions, intervals: [.custom("clock"): .milliseconds(100)], custom: custom)
        await rig.run(for: .seconds(60))
        let heard = rig.log.contents.samples.filter { $0.value.field.name == "clock" }
        #expect((550...610).contains(heard.count), "\(heard.count)")
        #expect(heard.allSatisfy(Self.isTimed))
        let usual = CANRig(conditions: conditions, intervals: [:], custom: custom)
        await usual.run(for: .seconds(60))
        let (count, usualCount) = (Self.sentInAMinute(rig), Self.sentInAMinute(usual))
        #expect(abs(count - usualCount) <= 3, "\(count) instead of \(usualCount)")
    }

    @Test("Of frames with one identifier, those with the right number have the value")
    func multiplexed() async throws {
        let multiplexor = try Formula("bits(4, 4)")
        let custom = try [1, 3].map { number in
            try Self.parameter(
                "m\(number)",
                .can29(0x18FE_F100),
                "B",
                multiplex: FrameSource.Multiplex(multiplexor, is: number)
            )
        }
        var conditions = SimulatedPort.Conditions()
        conditions.broadcasts = [
            SimulatedPort.Broadcast(
                identifier: CANIdentifier(0x18FE_F100, isExtended: true),
                interval: .milliseconds(20)
            ) {
                let number = UInt8($0.sinceBoot.milliseconds / 20 % 5)
                return [0xF0 | number, 100 + number]
            }
        ]
        let intervals: [ParameterKey: Duration] = [.custom("m1"): .seconds(1), .custom("m3"): .seconds(1)]
        let rig = CANRig(conditions: conditions, intervals: intervals, custom: custom)
        await rig.run(for: .seconds(60))
        let samples = rig.log.contents.samples
        for number in [1, 3] {
            let heard = samples.filter { $0.value.field.name == "m\(number)" }
            #expect((50...62).contains(heard.count), "\(heard.count)")
            #expect(heard.allSatisfy { $0.value.value == .number(Double(100 + number)) })
            #expect(heard.allSatisfy { $0.ecu == .can29Identifier(0x18FE_F100) })
        }
    }

    @Test("A frame that is too short, or has a value out of range, is told and gives no value")
    func unusable() async throws {
        let custom = [
            try Self.parameter("short", .can11(0x1A0), "H"), try Self.parameter("high", .can11(0x1A0), "A", 0...100),
        ]
        var conditions = SimulatedPort.Conditions()
        conditions.broadcasts = [Self.clock]
        let intervals: [ParameterKey: Duration] = [.custom("short"): .seconds(1), .custom("high"): .seconds(1)]
        let rig = CANRig(conditions: conditions, intervals: intervals, custom: custom)
        await rig.run(for: .seconds(60))
        let log = rig.log.contents
        #expect(log.samples.filter { ["short", "high"].contains($0.value.field.name) }.isEmpty)
        // Once a second each, not with each of the hundred frames.
        #expect((100...124).contains(log.dropped), "\(log.dropped)")
    }

    @Test("After a pause of the frames the vehicle proves that it is the same, and the values go on")
    func pause() async throws {
        let custom = [try Self.parameter("clock", .can11(0x1A0), "uint16(B, C)")]
        var conditions = SimulatedPort.Conditions()
        conditions.broadcasts = [Self.clock]
        conditions.broadcasts[0].pause = Self.pause
        let rig = CANRig(conditions: conditions, intervals: [.custom("clock"): .milliseconds(100)], custom: custom)
        await rig.run(for: .seconds(90))
        let heard = rig.log.contents.samples.filter { $0.value.field.name == "clock" }
        let gap = try #require(zip(heard, heard.dropFirst()).first { $1.time - $0.time > .seconds(3) })
        #expect(rig.sent.contains { $0.time >= gap.1.time && $0.time < gap.1.time + .seconds(1) })
        #expect(heard.filter { $0.time > gap.1.time }.count > 300)
    }

    @Test("Of another vehicle behind the plug no value is told before it is identified")
    func anotherVehicle() async throws {
        let custom = [try Self.parameter("whose", .can11(0x1A0), "A")]
        let replace = Mutex<(@Sendable () -> Void)?>(nil)
        var conditions = SimulatedPort.Conditions()
        conditions.broadcasts = [
            SimulatedPort.Broadcast(identifier: Self.clock.identifier, interval: .milliseconds(10), pause: Self.pause) {
                guard $0 >= Self.pause.upperBound else { return [0xAA] }
                replace.withLock { $0.take() }?()
                return [0xBB]
            }
        ]
        let rig = CANRig(conditions: conditions, intervals: [.custom("whose"): .milliseconds(100)], custom: custom)
        replace.withLock {
            $0 = {
                var other = SimulatedVehicle.Options()
                other.vin = "1HGCM82633A004352"
                let vehicle = SimulatedVehicle(other, startedAt: CANRig.start)
                rig.vehicle.withVehicle { $0 = vehicle }
            }
        }
        await rig.run(for: .seconds(120))
        let samples = rig.log.contents.samples.filter { $0.value.field.name == "whose" }
        let first = try #require(samples.first { $0.value.value == .number(0xBB) })
        let last = try #require(samples.last { $0.value.value == .number(0xAA) })
        // The VIN of the other vehicle is read before its first value is told.
        #expect(rig.sent.contains { $0.payload == [0x09, 0x02] && $0.time > last.time && $0.time < first.time })
        #expect(rig.log.contents.identities.last?.vin?.description == "1HGCM82633A004352")
    }

    @Test("Who reads the parameter gets the value of the next frame, or none where none comes")
    func read() async throws {
        let custom = [
            try Self.parameter("clock", .can11(0x1A0), "uint16(B, C)"), try Self.parameter("never", .can11(0x1A1), "A"),
        ]
        var conditions = SimulatedPort.Conditions()
        conditions.broadcasts = [Self.clock]
        let rig = CANRig(conditions: conditions, intervals: [0x0C: .seconds(1)], custom: custom)
        let found = Mutex<[ParameterAnswer]>([])
        await rig.run(for: .seconds(60)) {
            while rig.log.contents.samples.isEmpty { await Task.yield() }
            for name in ["clock", "never"] {
                let answer = try? await rig.session.withBus { lease throws(SessionError) in
                    try await lease.read(.custom(name))
                }
                found.withLock { $0.append(answer ?? ParameterAnswer(values: [:], isDamaged: true)) }
            }
        }
        let answers = found.withLock { $0 }
        #expect(answers.count == 2 && answers.first?.values.count == 1)
        #expect(answers.last?.values.isEmpty == true && answers.last?.isDamaged == false)
    }

    @Test("Another selection within a drive is heard from its moment, and the one before no longer")
    func selection() async throws {
        let custom = try ["clock", "second"].map { try Self.parameter($0, .can11(0x1A0), "uint16(B, C)") }
        var conditions = SimulatedPort.Conditions()
        conditions.broadcasts = [Self.clock]
        let (first, second) = (ParameterKey.custom("clock"), ParameterKey.custom("second"))
        let rig = CANRig(conditions: conditions, intervals: [first: .milliseconds(100)], custom: custom)
        let changes = Mutex<[MonotonicTime]>([])
        await rig.run(for: .seconds(90)) {
            for (name, next) in [("clock", second), ("second", first)] {
                while !Task.isCancelled,
                    rig.log.contents.samples.count(where: { $0.value.field.name == name }) < 100
                { await Task.yield() }
                _ = await rig.session.select { _, _ in Selection(intervals: [next: .milliseconds(100)]) }
                changes.withLock { $0.append(rig.clock.now) }
            }
        }
        let (there, back) = try #require(changes.withLock { $0.count == 2 ? ($0[0], $0[1]) : nil })
        let samples = rig.log.contents.samples.filter { ["clock", "second"].contains($0.value.field.name) }
        #expect(samples.allSatisfy(Self.isTimed))
        // A frame or two may have come in the moment of the change.
        let allowance = Duration.milliseconds(300)
        for sample in samples {
            let isMeanwhile = sample.time > there + allowance && sample.time < back - allowance
            let isOutside = sample.time < there - allowance || sample.time > back + allowance
            #expect(!isMeanwhile || sample.value.field.name == "second", "\(sample.time)")
            #expect(!isOutside || sample.value.field.name == "clock", "\(sample.time)")
        }
        let gaps = zip(samples, samples.dropFirst()).map { $1.time - $0.time }
        #expect(gaps.allSatisfy { $0 < .seconds(1) }, "\(gaps.max() ?? .zero)")
        #expect(samples.count(where: { $0.time > back }) > 200)
    }

    @Test("While a command holds the bus and sends nothing, the frames are heard")
    func heldBus() async throws {
        let custom = [try Self.parameter("clock", .can11(0x1A0), "uint16(B, C)")]
        var conditions = SimulatedPort.Conditions()
        conditions.broadcasts = [Self.clock]
        let intervals: [ParameterKey: Duration] = [0x0C: .milliseconds(500), .custom("clock"): .milliseconds(100)]
        let rig = CANRig(conditions: conditions, intervals: intervals, custom: custom)
        let times = Mutex<Range<MonotonicTime>?>(nil)
        await rig.run(for: .seconds(60)) {
            while !Task.isCancelled, rig.log.contents.samples.count < 20 { await Task.yield() }
            try? await rig.session.withBus { lease throws(SessionError) in
                let start = rig.clock.now
                try await lease.pause(for: .seconds(10))
                let end = rig.clock.now
                times.withLock { $0 = start..<end }
            }
        }
        let pause = try #require(times.withLock { $0 })
        #expect(pause.upperBound - pause.lowerBound >= .seconds(10))
        let heard = rig.log.contents.samples.filter { $0.value.field.name == "clock" && pause.contains($0.time) }
        #expect((90...105).contains(heard.count), "\(heard.count)")
        #expect(heard.allSatisfy(Self.isTimed))
        #expect(!rig.sent.contains { pause.contains($0.time) })
    }

    @Test("A counter in a frame keeps no vehicle in use that has no sign of a drive")
    func counter() async throws {
        var options = SimulatedVehicle.Options(.electric)
        options.phases = [VehiclePhase(.drive, .seconds(300)), VehiclePhase(.awake, .seconds(100_000))]
        var conditions = SimulatedPort.Conditions()
        conditions.broadcasts = [Self.clock]
        let rig = CANRig(
            options,
            conditions: conditions,
            intervals: [0x5B: .seconds(10), .custom("count"): .seconds(1)],
            custom: [try Self.parameter("count", .can11(0x1A0), "uint16(B, C)")],
            parking: ParkingPolicy(idleLimit: .seconds(30))
        )
        await rig.run(for: .seconds(1800))
        let heard = rig.log.contents.samples.filter { $0.value.field.name == "count" }
        #expect(heard.contains { $0.time < CANRig.start + .seconds(290) })
        #expect(rig.log.contents.parkings.contains { $0.isParked })
        #expect(rig.sent.count(where: { $0.time > CANRig.start + .seconds(600) }) < 30)
    }

    @Test("An adapter does not listen: the vehicle counts as one without the parameter")
    func adapter() async throws {
        let custom = [try Self.parameter("clock", .can11(0x1A0), "uint16(B, C)")]
        let rig = Rig([0x0C: .seconds(1), .custom("clock"): .seconds(1)], custom: custom)
        let end = rig.clock.now + .seconds(30)
        let unsupported = Mutex<[ParameterKey]>([])
        let log = try await rig.run {
            for await _ in rig.events where rig.clock.now >= end { break }
            let keys = await rig.session.unsupported
            unsupported.withLock { $0 = keys }
        }
        #expect(unsupported.withLock { $0 } == [.custom("clock")])
        #expect(log.samples.contains { $0.value.field.name == "engine_speed" })
    }

    // MARK: - The values alone

    @Test("A frame that comes a little early does not halve the rate")
    func jitter() throws {
        var heard = HeardValues()
        heard.select([HeardParameter(try Self.parameter("a", .can11(0x100), "A"), .milliseconds(100))])
        var count = 0
        for index in 0..<1000 {
            let time = MonotonicTime(sinceBoot: .milliseconds(1000 + index * 100 - index % 2))
            heard.frameReceived([UInt8(index & 0xFF)], CANIdentifier(0x100, isExtended: false), at: time)
            count += heard.take().samples.count
        }
        #expect(count == 1000)
    }

    @Test("An unusable frame takes no valid one's turn")
    func unusableInTurn() throws {
        var heard = HeardValues()
        heard.select([HeardParameter(try Self.parameter("a", .can11(0x100), "A", 0...100), .seconds(1))])
        var batch = HeardValues.Batch()
        for index in 0..<40 {
            let time = MonotonicTime(sinceBoot: .milliseconds(1000 + index * 500))
            heard.frameReceived([index % 2 == 0 ? 0xFF : 7], CANIdentifier(0x100, isExtended: false), at: time)
            let more = heard.take()
            batch.samples += more.samples
            batch.dropped += more.dropped
        }
        #expect(batch.samples.count == 20 && batch.dropped > 0)
    }

    @Test("Values that nobody takes are bounded, and those of another selection are dropped")
    func bounded() throws {
        var heard = HeardValues()
        let parameter = try Self.parameter("a", .can11(0x100), "A")
        heard.select([HeardParameter(parameter, .milliseconds(1))])
        for index in 0..<10_000 {
            let time = MonotonicTime(sinceBoot: .milliseconds(index * 10))
            heard.frameReceived([1], CANIdentifier(0x100, isExtended: false), at: time)
        }
        #expect(heard.since != nil)
        #expect(heard.take().samples.count == HeardValues.limit)
        heard.frameReceived([1], CANIdentifier(0x100, isExtended: true), at: MonotonicTime(sinceBoot: .seconds(200)))
        #expect(heard.since == nil)
        heard.frameReceived([1], CANIdentifier(0x100, isExtended: false), at: MonotonicTime(sinceBoot: .seconds(200)))
        heard.select([])
        #expect(heard.take().samples.isEmpty && heard.identifiers.isEmpty)
    }
}
