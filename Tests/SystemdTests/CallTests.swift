// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Systemd
import TestSupport
import Testing

@Suite("Calls over D-Bus", .timeLimit(.minutes(10)))
struct CallTests {
    @Test("An error arrives with its name and message")
    func errors() async throws {
        let echo = try await Echo()
        let client = try await echo.client()
        await #expect(
            throws: BusError.refused(name: "org.example.Error.OnPurpose", message: "as you \"like\" it – ü")
        ) { try await client.call(echo.call("Fail")) }
        let unknown = MethodCall("org.example.Nobody", "/", "org.example.Echo", "Echo")
        let error = await #expect(throws: BusError.self) { try await client.call(unknown) }
        guard case .refused("org.freedesktop.DBus.Error.ServiceUnknown", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("An invalid answer arrives as an error", arguments: ["AnswerNonsense", "FailBadly"])
    func nonsense(member: String) async throws {
        let echo = try await Echo()
        let client = try await echo.client()
        let error = await #expect(throws: BusError.self) { try await client.call(echo.call(member)) }
        guard case .refused = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await client.call(echo.call("Echo", [.byte(1)])) == [.byte(1)])
    }

    @Test("The last object exported at a path answers, and other paths do not")
    func exporting() async throws {
        let echo = try await Echo()
        let client = try await echo.client()
        for number: UInt8 in 1...3 {
            try await echo.server.export("/again") { _ in .success([.byte(number)]) }
            let again = MethodCall(echo.name, "/again", Echo.interface, "Anything")
            #expect(try await client.call(again) == [.byte(number)])
        }
        let elsewhere = MethodCall(echo.name, "/elsewhere", Echo.interface, "Echo")
        await #expect(throws: BusError.self) { try await client.call(elsewhere) }
        await #expect(throws: BusError.self) { try await client.export("no path") { _ in .success([]) } }
    }

    @Test("A thousand concurrent calls each get their own answer")
    func many() async throws {
        let echo = try await Echo()
        let client = try await echo.client()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number: Int32 in 0..<1000 {
                group.addTask { try await client.call(echo.call("Echo", [.int32(number)])) == [.int32(number)] }
            }
            var count = 0
            for try await isRight in group where isRight { count += 1 }
            #expect(count == 1000)
        }
    }

    @Test("A call without an answer times out, and a late answer is ignored")
    func timeout() async throws {
        let echo = try await Echo()
        let client = try await echo.client()
        let gate = Gate()
        try await echo.server.export("/slow") { _ in
            gate.pass()
            return .success([])
        }
        let slow = MethodCall(echo.name, "/slow", Echo.interface, "Wait")
        for timeout in [Duration.milliseconds(20), .zero, .seconds(-1)] {
            await #expect(throws: BusError.timedOut) { try await client.call(slow, timeout: timeout) }
        }
        gate.open()
        #expect(try await client.call(slow, timeout: .seconds(Int64.max)) == [])
        #expect(try await client.call(echo.call("Echo", [.byte(1)])) == [.byte(1)])
    }

    @Test("The call of a cancelled task ends, whenever the task is cancelled")
    func cancellation() async throws {
        let echo = try await Echo()
        let client = try await echo.client()
        let gate = Gate()
        let calls = Counter()
        try await echo.server.export("/slow") { _ in
            calls.add()
            gate.pass()
            return .success([])
        }
        let slow = MethodCall(echo.name, "/slow", Echo.interface, "Wait")
        for yields in 0..<50 {
            let task = Task { try await client.call(slow, timeout: .seconds(60)) }
            for _ in 0..<yields { await Task.yield() }
            task.cancel()
            await #expect(throws: BusError.cancelled) { try await task.value }
        }
        let task = Task { try await client.call(slow, timeout: .seconds(60)) }
        try await eventually("a call that arrived") { calls.value > 0 }
        task.cancel()
        await #expect(throws: BusError.cancelled) { try await task.value }
        gate.open()
    }

    @Test("A task that is already cancelled makes no call")
    func cancelledBefore() async throws {
        let echo = try await Echo()
        let client = try await echo.client()
        let calls = Counter()
        try await echo.server.export("/count") { _ in
            calls.add()
            return .success([])
        }
        let count = MethodCall(echo.name, "/count", Echo.interface, "Count")
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await client.call(count)
        }
        task.cancel()
        await #expect(throws: BusError.cancelled) { try await task.value }
        _ = try await client.call(count)
        #expect(calls.value == 1)
    }

    @Test("The answer is delivered on the connection's thread before later signals")
    func answerBeforeSignals() async throws {
        let echo = try await Echo()
        let client = try await echo.client()
        let order = Locked<[String]>([])
        try await client.subscribe("type='signal',interface='\(Echo.interface)'") { signal in
            order.withLock { $0.append(signal.member) }
        }
        try await client.call(echo.call("Echo"), onAnswer: { _ in order.withLock { $0.append("answer") } })
        try await echo.server.emit(echo.signal("After"))
        try await eventually("the signal") { order.withLock { $0.count } == 2 }
        #expect(order.withLock { $0 } == ["answer", "After"])
    }
}

/// A counter for any thread.
final class Counter: Sendable {
    private let count = Locked(0)
    var value: Int { self.count.withLock { $0 } }
    func add() { self.count.withLock { $0 += 1 } }
}
