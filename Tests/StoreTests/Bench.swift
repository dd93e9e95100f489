// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import Store
import TestSupport

/// A directory for several stores, one after the other.
struct Bench: Sendable {
    let directory: TemporaryDirectory
    static let start = BootStart(date: Timestamp(milliseconds: 1_000_000), quality: .synchronised)

    init() throws { self.directory = try TemporaryDirectory() }

    var path: String { "\(self.directory.path)/obd-agent.db" }

    func store(
        boot: String = "boot",
        limit: Int64 = 8 << 20,
        keepDays: Int64 = 90,
        firstEpoch: UInt64 = 100
    ) -> Store {
        Store(
            .init(
                agent: "a1b2",
                boot: boot,
                directory: self.directory.path,
                limit: limit,
                keepDays: keepDays,
                firstEpoch: firstEpoch
            )
        )
    }

    /// Copies the files of the database as a power cut would leave them now.
    func copy() throws -> Bench {
        let copy = try Bench()
        for name in ["obd-agent.db", "obd-agent.db-wal"] {
            guard let bytes = TextFile.bytes(of: "\(self.directory.path)/\(name)", limit: 1 << 30) else { continue }
            try copy.directory.write(bytes, to: name)
        }
        return copy
    }
}

extension Store {
    /// A record whose body is `{"n":…}`.
    func append(_ number: Int, to stream: RecordStream, bytes: Int = 0, isCritical: Bool = false) {
        self.append(
            Array("{\"n\":\(number),\"x\":\"\(String(repeating: "x", count: bytes))\"}".utf8),
            to: stream,
            at: MonotonicTime(sinceBoot: .milliseconds(number)),
            destination: .init(vehicle: "van"),
            isCritical: isCritical
        )
    }

    func save(draft: Int? = nil) {
        self.flush(FlushContext(now: .zero, start: Bench.start, draft: draft.map(Self.draft)))
    }

    /// Flushes for the last time.
    func saveLast(at now: MonotonicTime = .zero, _ start: BootStart = Bench.start) {
        self.flush(FlushContext(now: now, start: start), isLast: true)
    }

    static func draft(_ number: Int) -> Draft {
        Draft(
            body: Array("{\"n\":\(number),\"x\":\"\"}".utf8),
            at: MonotonicTime(sinceBoot: .milliseconds(number)),
            destination: .init(vehicle: "van")
        )
    }

    /// Returns all waiting records as `<stream><epoch>:<seq>=<number>`.
    func drain(acknowledging: Bool = true) -> [String] {
        var found: [String] = []
        while let record = self.next() {
            let body = String(decoding: record.body, as: UTF8.self)
            let number = body.dropFirst(5).prefix { $0.isNumber }
            found.append("\(record.stream.rawValue.prefix(1))\(record.id.epoch):\(record.id.seq)=\(number)")
            if acknowledging { self.acknowledge(record.stream, record.id) }
        }
        return found
    }
}
