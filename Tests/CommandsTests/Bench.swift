// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import JOSE
import Logging
import Simulator
import Synchronization
import Testing

@testable import Commands

/// A manual clock whose time counts as synchronized.
final class TestClock: CalendarClock {
    let clock = ManualClock()
    /// Whether a sleep lasts until its task is cancelled, instead of advancing the clock.
    let isPaused = Mutex(false)
    let start = Timestamp(milliseconds: 1_795_255_200_000)

    var now: MonotonicTime { self.clock.now }
    var quality: ClockQuality { .synchronised }

    func sleep(until deadline: MonotonicTime) async throws {
        guard self.isPaused.withLock({ $0 }) else { return try await self.clock.sleep(until: deadline) }
        let (cancellation, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in cancellation {}
        continuation.finish()
    }

    func timestamp(of time: MonotonicTime) -> Timestamp { self.start + time.sinceBoot }
}

/// A journal in memory.
actor MemoryJournal: CommandJournal {
    private var responses: [String: CommandResponse] = [:]

    private(set) var dates: [String: Timestamp] = [:]
    private var present = JournalReach(begins: nil, hasRoom: true)
    private var isReadable = true

    func response(to key: String) throws(JournalUnreadable) -> CommandResponse? {
        guard self.isReadable else { throw JournalUnreadable(reason: "a disk error") }
        return self.responses[key]
    }

    func remember(_ response: CommandResponse, to message: Message, vehicle: String, until date: Timestamp?) {
        guard let key = response.journalKey else { return }
        self.responses[key] = response
        self.dates[key] = date ?? self.dates[key]
    }

    func reach() -> JournalReach { self.present }

    func turn(_ reach: JournalReach, isReadable: Bool = true) { (self.present, self.isReadable) = (reach, isReadable) }
}

extension CommandExecutor {
    /// Judges one message, and runs the command if it is accepted.
    func receive(_ message: Message) async {
        if let accepted = await self.judge(message) { await self.execute(accepted) }
    }
}

/// The surroundings of an executor: its vehicle, its journal and its responses.
final class Bench: Sendable {
    let clock = TestClock()
    let responses = Mutex<[CommandResponse]>([])
    let complaints = Mutex(0)
    /// The seconds after which the responses to another unsigned command may be sent.
    let delayOfStranger = Mutex(0)
    /// The seconds after which records may be published again.
    let delayOfResend = Mutex(0)
    /// The properties that each response repeats.
    let echoes = Mutex<[Message.Properties]>([])
    let journal = MemoryJournal()
    let vehicle: FakeVehicle
    let name: Mutex<String>
    /// The reason why the journal would not survive a power cut.
    let problem = Mutex<String?>(nil)
    /// Whether the vehicle is being identified.
    let isComing = Mutex(false)

    init(_ vehicle: FakeVehicle = FakeVehicle(), name: String = "van") {
        self.vehicle = vehicle
        self.name = Mutex(name)
    }

    func executor(
        allowed: Set<String> = Set(CommandName.allCases.map(\.rawValue)),
        unsignedRole: Role? = .engineer,
        keys: TrustedKeys = .none,
        buttons: Set<String> = []
    ) -> CommandExecutor {
        CommandExecutor(
            CommandGuard(allowed: allowed, unsignedRole: unsignedRole, buttons: buttons),
            access: self.vehicle,
            journal: self.journal,
            host: self.host(keys),
            clock: self.clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    private func host(_ keys: TrustedKeys) -> CommandHost {
        CommandHost(
            known: { KnownNames(custom: ["charge", "tyre"], derived: ["economy"]) },
            description: ["agent": "a1b2"],
            keys: { keys },
            identify: {
                let isComing = self.isComing.withLock { $0 }
                return CommandExecutor.Vehicle(
                    name: self.name.withLock { $0 },
                    vin: isComing ? nil : "ZZZSMVLATR4700893",
                    isComing: isComing
                )
            },
            messageDropped: { self.complaints.withLock { $0 += 1 } },
            delayOfStranger: { self.delayOfStranger.withLock { $0 } },
            delayOfResend: { self.delayOfResend.withLock { $0 } },
            respond: { response, message, _ in
                self.responses.withLock { $0.append(response) }
                self.echoes.withLock { $0.append(message.properties) }
                return response.isDurable ? self.problem.withLock { $0 } : nil
            }
        )
    }

    /// A message to the topic of a vehicle, with a command that names the vehicle `audience`, or none.
    func message(
        _ command: String,
        _ arguments: String = "{}",
        id: String = "1",
        vehicle: String = "van",
        audience: String? = nil
    ) throws -> Message {
        let now = self.clock.timestamp
        let named = audience.map { "\"vehicle\": \"\($0)\", " } ?? ""
        return Message(
            topic: try Topic("obd/\(vehicle)/commands"),
            payload: Array(
                """
                {"id": "\(id)", "command": "\(command)", \(named)"arguments": \(arguments), "issued_at": "\(now)", \
                "expires_at": "\(now + .seconds(60))"}
                """.utf8
            )
        )
    }

    /// The states of all responses except `running`.
    var states: [CommandResponse.State] {
        self.responses.withLock { $0.map(\.state).filter { $0 != .running } }
    }
    var last: CommandResponse? { self.responses.withLock { $0.last } }
}
