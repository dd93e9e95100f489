// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import Diagnosis
import ELM327
import Logging
import OBD2
import Parking
import Session
import Simulator
import Synchronization
import TestSupport

/// A recorded session with a simulated vehicle, and the output of the session.
struct Drive {
    /// The transcript as it is stored: the segments of the ring, the oldest first.
    let text: String
    /// The events of the session, as a replay prints them.
    let lines: [String]

    private struct Record: Sendable {
        var ring = TranscriptRing(version: "test", boot: "test")
        var segments = [0: [UInt8](), 1: [UInt8]()]
        var lines: [String] = []

        mutating func perform(_ action: TranscriptRing.WriteAction) {
            switch action {
            case .wait: break
            case .append(let bytes, let segment): self.segments[segment, default: []] += bytes
            case .replace(let bytes, let segment): self.segments[segment] = bytes
            }
        }
    }

    /// Records a drive with random faults.
    ///
    /// - Parameters:
    ///   - duration: the length of the drive.
    ///   - bus: the bus of the vehicle.
    ///   - faults: the percentage of the lines to the adapter that get a faulty answer.
    ///   - seed: the seed of the vehicle and of the faults.
    init(_ duration: Duration, on bus: BusProtocol, faults: Int, seed: UInt64) async throws {
        let clock = ManualClock(now: MonotonicTime(sinceBoot: .seconds(100)))
        var options = SimulatedVehicle.Options()
        options.seed = seed
        options.bus = bus
        options.codes = [DTC(rawValue: 0x0301)]
        let vehicle = SharedVehicle(SimulatedVehicle(options, startedAt: clock.now))
        let record = Mutex(Record())
        let numbers = Mutex(SeededNumbers(seed))
        let links = Mutex<SimulatedLink?>(nil)
        let recorder = TranscriptRecorder(clock: clock) { entry in
            record.withLock { $0.perform($0.ring.record(entry)) }
            guard case .sent = entry.event, let link = links.withLock({ $0 }) else { return }
            numbers.withLock { numbers in
                guard Int.random(in: 0..<100, using: &numbers) < faults else { return }
                link.inject(Self.faults.randomElement(using: &numbers) ?? .garbage)
            }
        }
        let (ended, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let stop = clock.now + duration
        let session = Session(
            open: { _ throws(LinkError) in
                let link = SimulatedLink(vehicle: vehicle, clock: clock)
                links.withLock { $0 = link }
                return link
            },
            selection: Selection(intervals: [0x0C: .milliseconds(500), 0x0D: .seconds(1), 0x05: .seconds(10)]),
            // The drive begins while the starter turns and the voltage is low.
            parking: ParkingSettings(ParkingPolicy(minimumVoltage: 0)),
            clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            recorder: recorder
        ) { event in
            record.withLock { $0.lines += Replay.Output.session(event).lines(at: clock.now) }
            if clock.now >= stop { end.yield() }
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await session.run() }
            for await _ in ended { break }
            group.cancelAll()
        }
        (self.text, self.lines) = record.withLock { record in
            record.perform(record.ring.flush())
            let segments = [0, 1].map { String(decoding: record.segments[$0] ?? [], as: UTF8.self) }
            return (Transcript.joined(segments) ?? "", record.lines)
        }
    }

    private static let faults: [InjectedFault] = [
        .garbage, .truncated, .lateReply(to: [0x01, 0x0D]), .promptMissing, .duplicatedLines, .noData, .negative(0x11),
        .negative(0x78), .stopped, .lowVoltageReset, .silence, .slowBytes, .disconnect,
    ]
}

extension Replay {
    /// Returns the session output of a replay, and separately its divergences.
    static func lines(of text: String) async throws -> (lines: [String], divergences: [String]) {
        var lines: [String] = []
        var divergences: [String] = []
        await Self.run(try Transcript(text)) { time, output in
            switch output {
            case .session: lines += output.lines(at: time)
            case .diverged: divergences += output.lines(at: time)
            case .answer, .failed, .note: break
            }
        }
        return (lines, divergences)
    }
}
