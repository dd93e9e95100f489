// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Testing

@testable import Agent

@Suite("The services and their order")
struct ServiceGroupTests {
    /// Writes down when a service starts, is stopped and has ended.
    private struct Noted: Service {
        let name: String
        let notes: Locked<[String]>
        let started: AsyncStream<Void>.Continuation
        var endsByItself = false

        func run(until stop: StopRequest) async {
            self.notes.withLock { $0.append("\(self.name) starts") }
            self.started.yield()
            guard !self.endsByItself else { return }
            await stop.cancelling {
                // As long as nobody cancels it.
                await StopRequest().wait()
                self.notes.withLock { $0.append("\(self.name) is cancelled") }
            }
            // What a service writes at its end must not be cut off.
            let cut = Task.isCancelled ? ", cut off" : ""
            self.notes.withLock { $0.append("\(self.name) ends\(cut)") }
        }
    }

    private let notes = Locked<[String]>([])
    private let starts = AsyncStream.makeStream(of: Void.self)

    private var written: [String] { self.notes.withLock { $0 } }

    private func untilStarted(_ count: Int) async {
        var starts = self.starts.stream.makeAsyncIterator()
        for _ in 0..<count { await starts.next() }
    }

    @Test("All start, and stop one after the other from the last to the first", .timeLimit(.minutes(1)))
    func order() async throws {
        let group = ServiceGroup(
            ["a", "b", "c"].map { Noted(name: $0, notes: self.notes, started: self.starts.continuation) },
            stoppingAt: []
        )
        let running = Task { try await group.run() }
        await self.untilStarted(3)
        #expect(Set(self.written) == ["a starts", "b starts", "c starts"])
        group.stop()
        group.stop()
        try await running.value
        #expect(
            Array(self.written.dropFirst(3)) == ["c", "b", "a"].flatMap { ["\($0) is cancelled", "\($0) ends"] }
        )
    }

    @Test("A stop before the start ends each service as soon as it runs", .timeLimit(.minutes(1)))
    func early() async throws {
        let group = ServiceGroup(
            [Noted(name: "a", notes: self.notes, started: self.starts.continuation)],
            stoppingAt: []
        )
        group.stop()
        try await group.run()
        #expect(self.written == ["a starts", "a is cancelled", "a ends"])
    }

    @Test("A service that ends by itself stops the others in order, and is named", .timeLimit(.minutes(1)))
    func unexpected() async throws {
        let services = [
            Noted(name: "a", notes: self.notes, started: self.starts.continuation),
            Noted(name: "b", notes: self.notes, started: self.starts.continuation),
            Noted(name: "c", notes: self.notes, started: self.starts.continuation, endsByItself: true),
        ]
        let error = await #expect(throws: ServiceGroup.UnexpectedEnd.self) {
            try await ServiceGroup(services, stoppingAt: []).run()
        }
        #expect(error?.service == "Noted")
        let ends = self.written.filter { $0.hasSuffix("ends") }
        #expect(ends == ["b ends", "a ends"])
    }

    @Test("A cancelled task ends all services, without an error", .timeLimit(.minutes(1)))
    func cancelled() async throws {
        let group = ServiceGroup(
            ["a", "b"].map { Noted(name: $0, notes: self.notes, started: self.starts.continuation) },
            stoppingAt: []
        )
        let running = Task { try await group.run() }
        await self.untilStarted(2)
        running.cancel()
        try await running.value
        #expect(Set(self.written.filter { $0.contains("ends") }) == ["a ends, cut off", "b ends, cut off"])
    }

    @Test("A request that was made lets everyone pass, before and after", .timeLimit(.minutes(1)))
    func request() async {
        let stop = StopRequest()
        async let first: Void = stop.wait()
        async let second: Void = stop.wait()
        stop.make()
        _ = await (first, second)
        await stop.wait()
        await stop.cancelling { await StopRequest().wait() }
    }
}
