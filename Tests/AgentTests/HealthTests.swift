// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Logging
import Simulator
import Systemd
import TestSupport
import Testing

@testable import Agent

@Suite("How the agent is, for systemd")
struct HealthTests {
    private func time(_ seconds: Int) -> MonotonicTime { .zero + .seconds(seconds) }

    @Test("A part is stuck that owes an answer for too long, or says that it does not get on")
    func liveness() {
        var liveness = Liveness(parts: ["store", "session"], timeout: .seconds(30))
        #expect(liveness.startProbes(at: self.time(0)) == ["store", "session"])
        #expect(!liveness.isComplete)
        liveness.replyReceived(from: "store", isWell: true)
        #expect(liveness.startProbes(at: self.time(10)) == ["store"])
        #expect(liveness.stuck(at: self.time(30)).isEmpty)
        #expect(liveness.stuck(at: self.time(31)) == ["session"])
        liveness.replyReceived(from: "session", isWell: true)
        liveness.replyReceived(from: "store", isWell: false)
        #expect(liveness.isComplete)
        #expect(liveness.stuck(at: self.time(32)) == ["store"])
    }

    @Test("Who waits until a time that it has named is not stuck before that has passed for long")
    func pulse() {
        let pulse = Pulse(at: self.time(0))
        #expect(!pulse.isStuck(at: self.time(30), timeout: .seconds(30)))
        #expect(pulse.isStuck(at: self.time(31), timeout: .seconds(30)))
        let wait = pulse.beginWait(until: self.time(86_400))
        #expect(!pulse.isStuck(at: self.time(86_430), timeout: .seconds(30)))
        #expect(pulse.isStuck(at: self.time(86_431), timeout: .seconds(30)))
        pulse.endWait(wait, at: self.time(100))
        #expect(!pulse.isStuck(at: self.time(130), timeout: .seconds(30)))
        #expect(pulse.isStuck(at: self.time(131), timeout: .seconds(30)))
    }

    @Test("The clock of something tells that it lives, and how long it sleeps")
    func watchedClock() async throws {
        let manual = ManualClock()
        let clock = WatchedClock(clock: manual, pulse: Pulse(at: manual.now))
        manual.advance(by: .seconds(60))
        #expect(clock.pulse.isStuck(at: manual.now, timeout: .seconds(30)))
        _ = clock.now
        #expect(!clock.pulse.isStuck(at: manual.now, timeout: .seconds(30)))
        try await clock.sleep(until: self.time(200))
        #expect(!clock.pulse.isStuck(at: self.time(230), timeout: .seconds(30)))
        #expect(clock.pulse.isStuck(at: self.time(231), timeout: .seconds(30)))
    }

    @Test("A part that never answers keeps the watchdog hungry, and is named")
    func hungry() async throws {
        let (told, continuation) = AsyncStream.makeStream(of: String.self)
        let service = HealthService(
            manager: ServiceManager(watchdog: .seconds(60)) { continuation.yield($0) },
            parts: [
                .init(name: "store") { _ in true },
                .init(name: "session") { _ in
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                    return true
                },
            ],
            sentence: { "Reading" },
            writeHealth: {},
            clock: ManualClock(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let running = Task { await service.run(until: StopRequest()) }
        defer { running.cancel() }
        let first = try await told.next("what is said first")
        #expect(first == "STATUS=Stuck: session; systemd will restart the agent")
    }

    @Test("A status is one line, whatever is in it")
    func spelling() {
        let told = Locked("")
        let manager = ServiceManager(watchdog: nil) { text in told.withLock { $0 = text } }
        manager.notify(.stopping, .status("No vehicle:\nREADY=1"))
        #expect(told.withLock { $0 } == "STOPPING=1\nSTATUS=No vehicle: READY=1")
    }
}
