// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import JOSE
import Logging
import Messages
import Simulator
import Synchronization
import Testing
import Timing

@testable import Commands

/// A manual clock that is believed.
struct TestClock: CalendarClock {
    let clock = ManualClock()
    let start = Timestamp(milliseconds: 1_795_255_200_000)

    var now: MonotonicTime { self.clock.now }
    var quality: ClockQuality { .synchronised }

    func sleep(until deadline: MonotonicTime) async throws { try await self.clock.sleep(until: deadline) }
    func timestamp(of time: MonotonicTime) -> Timestamp { self.start + time.sinceBoot }
}

/// A journal as it is in a process that never ends.
actor MemoryJournal: CommandJournal {
    private var responses: [String: CommandResponse] = [:]

    func response(to key: String) -> CommandResponse? { self.responses[key] }

    func remember(_ response: CommandResponse, to message: Message, vehicle: String) {
        if let key = response.journalKey { self.responses[key] = response }
    }
}

extension CommandExecutor {
    /// Obeys one message, or says why not.
    func receive(_ message: Message) async {
        if let accepted = await self.judge(message) { await self.execute(accepted) }
    }
}

/// An executor, its vehicle, and what it says.
final class Bench: Sendable {
    let clock = TestClock()
    let responses = Mutex<[CommandResponse]>([])
    let complaints = Mutex(0)
    let journal = MemoryJournal()
    let vehicle: FakeVehicle
    let name: Mutex<String>

    init(_ vehicle: FakeVehicle = FakeVehicle(), name: String = "van") {
        self.vehicle = vehicle
        self.name = Mutex(name)
    }

    func executor(
        allowed: Set<String> = Set(CommandName.allCases.map(\.rawValue)),
        unsignedRole: Role? = .engineer,
        keys: TrustedKeys = .none
    ) -> CommandExecutor {
        CommandExecutor(
            CommandGuard(allowed: allowed, unsignedRole: unsignedRole),
            access: self.vehicle,
            journal: self.journal,
            clock: self.clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            keys: { keys },
            custom: ["charge", "tyre"],
            description: ["agent": "a1b2"],
            identify: { CommandExecutor.Vehicle(name: self.name.withLock { $0 }, vin: "ZZZSMVLATR4700893") },
            complained: { self.complaints.withLock { $0 += 1 } },
            respond: { response, _, _ in self.responses.withLock { $0.append(response) } }
        )
    }

    func message(_ command: String, _ arguments: String = "{}", id: String = "1", vehicle: String = "van") throws
        -> Message
    {
        let now = self.clock.timestamp
        return Message(
            topic: try Topic("obd/\(vehicle)/commands"),
            payload: Array(
                """
                {"id": "\(id)", "command": "\(command)", "arguments": \(arguments), "issued_at": "\(now)", \
                "expires_at": "\(now + .seconds(60))"}
                """.utf8
            )
        )
    }

    /// What was said but for how far a command had come.
    var states: [CommandResponse.State] {
        self.responses.withLock { $0.map(\.state).filter { $0 != .running } }
    }
    var last: CommandResponse? { self.responses.withLock { $0.last } }
}
