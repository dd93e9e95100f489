// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import ELM327
import Logging
import OBD2
import Session
import Simulator
import Synchronization
import Testing

@Suite("The bus to oneself, and another selection", .timeLimit(.minutes(10)))
struct LeaseTests {
    @Test("No poll comes between the requests of a lease")
    func exclusive() async throws {
        let rig = Rig([0x0C: .milliseconds(50), 0x0D: .milliseconds(50)])
        let log = try await rig.run {
            await rig.firstCodes()
            for _ in 0..<20 {
                try await rig.session.withBus { lease throws(SessionError) in
                    for pid in [0x2F, 0x46, 0x33] as [PID] {
                        guard case .answered = try await lease.ask(.currentData(pid)) else { throw .notConnected }
                    }
                }
            }
        }
        // Four digits are the request without its frame count.
        let lines = log.lines.filter { $0 != "0902" }.map { $0.prefix(4) }
        let starts = lines.indices.filter { lines[$0] == "012F" }
        #expect(starts.count == 20)
        for start in starts { #expect(lines[start..<min(start + 3, lines.count)] == ["012F", "0146", "0133"]) }
        #expect(log.wrong.isEmpty)
    }

    @Test("Reading the codes in a lease asks MIL and all lists, and tells the rest of the agent")
    func readCodes() async throws {
        var options = SimulatedVehicle.Options()
        options.codes = [DTC(rawValue: 0x0301)]
        let rig = Rig(vehicle: options)
        let log = try await rig.run {
            await rig.firstCodes()
            let reading = try await rig.session.withBus { lease throws(SessionError) in try await lease.readCodes() }
            #expect(reading.states == [DrivingTests.engine: [.j2012(DTC(rawValue: 0x0301)): [.stored]]])
            #expect(reading.monitors[DrivingTests.engine]?.mil == true)
        }
        #expect(log.readings.count == 2)
        let lists = ["0101", "03", "07", "0A"]
        #expect(log.lines.filter(lists.contains).suffix(4) == lists)
    }

    @Test("Who reads the codes lets one poll pass after each request, and the polling waits for no more than one")
    func polling() async throws {
        let rig = Rig([0x0C: .milliseconds(10), 0x0D: .milliseconds(10)])
        let log = try await rig.run {
            await rig.firstCodes()
            for _ in 0..<5 {
                _ = try await rig.session.withBus { lease throws(SessionError) in try await lease.readCodes() }
            }
        }
        // A poll requests one or both PIDs, with or without a frame count.
        func isPoll(_ line: String) -> Bool { line.hasPrefix("010C") || line.hasPrefix("010D") }
        // The first reading belongs to the start of the session, so the check begins with the second.
        let starts = log.lines.indices.filter { log.lines[$0] == "03" }
        let end = try #require(log.lines.lastIndex(of: "0A"))
        try #require(starts.count == 6)
        // Trials of the adapter and vehicle information come between two readings, so their lines are left out.
        let others = ["0100", "AT", "STI", "09"]
        let lines = log.lines[starts[1]...end].filter { !others.contains(where: $0.hasPrefix) }
        #expect(zip(lines, lines.dropFirst()).allSatisfy { isPoll($0) || isPoll($1) })
        #expect(log.wrong.isEmpty)
    }

    @Test("The strength of the signal is known while a vehicle is connected")
    func signalStrength() async throws {
        let rig = Rig()
        #expect(await rig.session.signalStrength() == nil)
        try await rig.run {
            await rig.firstCodes()
            #expect(await rig.session.signalStrength() == -60)
        }
        #expect(await rig.session.signalStrength() == nil)
    }

    @Test("Nothing is leased without a vehicle, nor before it is known which one it is")
    func refused() async throws {
        let rig = Rig()
        await #expect(throws: SessionError.notConnected) {
            try await rig.session.withBus { _ throws(SessionError) in }
        }
        let early = Mutex<SessionError?>(nil)
        let session = Mutex<Session?>(nil)
        let watched = Rig { line, _ in
            guard line == "0902", let session = session.withLock({ $0 }) else { return }
            let error = await Self.lease(session)
            early.withLock { $0 = error }
        }
        session.withLock { $0 = watched.session }
        try await watched.run { await watched.firstSamples() }
        #expect(early.withLock { $0 } == .notConnected)
    }

    @Test("Sixteen may wait; the others are told so at once")
    func queue() async throws {
        let rig = Rig()
        try await rig.run {
            await rig.firstCodes()
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let (entered, enter) = AsyncStream.makeStream(of: Void.self)
            async let first: Void = rig.session.withBus { _ throws(SessionError) in
                enter.yield()
                for await _ in gate {}
            }
            for await _ in entered { break }
            let served = await withTaskGroup(of: SessionError?.self) { group in
                for _ in 0..<40 { group.addTask { await Self.lease(rig.session) } }
                var busy = 0
                var served = 0
                for await error in group {
                    if error == .busy { busy += 1 } else if error == nil { served += 1 }
                    if busy == 24 { open.finish() }
                }
                return served
            }
            #expect(served == 16)
            try await first
        }
    }

    /// Leases the bus and does nothing with it; returns the error if the lease is refused.
    private static func lease(_ session: Session) async -> SessionError? {
        do throws(SessionError) {
            try await session.withBus { _ throws(SessionError) in }
            return nil
        } catch {
            return error
        }
    }

    @Test("A lease ends with its body")
    func ended() async throws {
        let rig = Rig()
        try await rig.run {
            await rig.firstCodes()
            let lease = try await rig.session.withBus { lease throws(SessionError) in lease }
            await #expect(throws: SessionError.leaseEnded) { try await lease.ask(.confirmedCodes) }
            await #expect(throws: SessionError.leaseEnded) { try await lease.readCodes() }
        }
    }

    @Test(
        "An adapter that is lost during a lease is brought up anew before anything else is asked",
        arguments: [(.lowVoltageReset, .adapterRestarted), (.silence, .adapterSilent)]
            as [(InjectedFault, SessionError)]
    )
    func lostDuringLease(fault: InjectedFault, error: SessionError) async throws {
        let rig = Rig { line, link in
            if line == "012F" { link.inject(fault, requests: fault == .silence ? 10 : 1) }
        }
        let log = try await rig.run {
            await rig.firstCodes()
            await #expect(throws: error) {
                try await rig.session.withBus { lease throws(SessionError) in
                    do throws(SessionError) { _ = try await lease.ask(.currentData(0x2F)) } catch {}
                    _ = try await lease.ask(.currentData(0x46))
                }
            }
            for await event in rig.events { if case .link(.connected) = event { break } }
            await rig.firstSamples()
        }
        let lost = try #require(log.lines.firstIndex(of: "012F"))
        #expect(log.lines[lost + 1] == "ATZ")
        #expect(log.states.contains { if case .waiting(error, _) = $0 { true } else { false } })
        #expect(log.wrong.isEmpty)
    }

    @Test("A temporary selection ends by itself, and every change has a greater version")
    func temporary() async throws {
        let rig = Rig([0x0C: .milliseconds(500)])
        let log = try await rig.run {
            await rig.firstCodes()
            let selection = await rig.session.select(for: .seconds(30)) { present, pollable in
                #expect(present.current.version == 1 && pollable?.contains(0x0D) == true)
                return Selection(intervals: [0x0D: .milliseconds(500)], deadBands: ["vehicle_speed": 5])
            }
            #expect(selection.version == 2 && selection.intervals.keys.sorted() == [0x0D])
            #expect(selection.deadBands == ["vehicle_speed": 5])
            for await event in rig.events { if case .selected(let selection) = event, selection.version == 3 { break } }
            await rig.firstSamples()
            _ = await rig.session.select { _, _ in Selection(intervals: [0x05: .milliseconds(500)]) }
            #expect(await rig.session.currentSelection.version == 4)
            await rig.firstSamples()
        }
        #expect(log.selections.map(\.version) == [2, 3, 4])
        #expect(log.selections.map { $0.intervals.keys.sorted() } == [[0x0D], [0x0C], [0x05]])
        let speeds = log.samples.filter { $0.value.field.name == "vehicle_speed" }
        let (first, last) = (try #require(speeds.first), try #require(speeds.last))
        #expect(last.time - first.time <= .seconds(31) && last.time - first.time >= .seconds(28))
    }

    @Test("A selection of what the vehicle does not have is polled as far as it has it")
    func partly() async throws {
        let rig = Rig([0x0C: .milliseconds(500)])
        let log = try await rig.run {
            await rig.firstCodes()
            _ = await rig.session.select { _, pollable in
                #expect(pollable?.contains(0x0A) == false)
                return Selection(intervals: [0x0A: .seconds(1), 0x0D: .seconds(1)])
            }
            #expect(await rig.session.unsupported == [0x0A])
            #expect(await rig.session.achieved == [0x0D: .seconds(1)])
            for await event in rig.events {
                if case .samples(let samples) = event,
                    samples.contains(where: { $0.value.field.name == "vehicle_speed" })
                {
                    break
                }
            }
        }
        #expect(!log.lines.contains("010A"))
    }

    @Test("Cancelling ends a session that waits for its link, and refuses who waits for the vehicle")
    func cancelling() async throws {
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        let session = Session(
            open: { _ throws(LinkError) in
                open.yield()
                do { try await Task.sleep(for: .seconds(86_400)) } catch {}
                throw .closed
            },
            selection: Selection(intervals: [:]),
            clock: ManualClock(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { _ in }
        let running = Task { await session.run() }
        for await _ in opened { break }
        running.cancel()
        await running.value
        await #expect(throws: SessionError.notConnected) { try await session.withBus { _ throws(SessionError) in } }
    }
}
