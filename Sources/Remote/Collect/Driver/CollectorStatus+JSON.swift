// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

extension CollectorStatus {
    /// The JSON of the state, as `--status --json` prints it.
    package var json: JSON {
        [
            "client_id": .string(self.clientID), "share": self.share.map { .string($0) } ?? .null,
            "started_at": .string(self.startedAt.description),
            "broker": Self.json(self.broker), "database": Self.json(self.database),
            "records": .object(
                Dictionary(
                    uniqueKeysWithValues: RecordStream.allCases.map {
                        ($0.rawValue, .integer(Int64(self.total.records[$0] ?? 0)))
                    }
                )
            ),
            "samples": .integer(Int64(self.total.samples)),
            "samples_per_second": .number((self.samplesPerSecond * 10).rounded() / 10),
            "duplicates": .integer(Int64(self.total.duplicates)), "again": .integer(Int64(self.total.again)),
            "late": .integer(Int64(self.total.late)), "states": .integer(Int64(self.total.states)),
            "rejected": .integer(Int64(self.total.rejected)), "batches": .integer(Int64(self.total.transactions)),
            "conflicts": .integer(Int64(self.total.conflicts)),
            "last_commit": Self.json(self.lastCommit),
            "waiting": .integer(Int64(self.waiting)),
            "lag_seconds": .number(Double(self.lag.milliseconds) / 1000),
            "delay_seconds": self.total.delay.map { .number(Double($0.milliseconds) / 1000) } ?? .null,
            "missing": Self.json(self.missing), "incomplete_streams": .integer(Int64(self.incompleteStreams)),
            "asked": Self.json(self.asked), "lost": Self.json(self.lost),
            "shared_agents": .integer(Int64(self.sharedAgents)),
            "last_message": Self.json(self.lastMessage),
            "client_id_conflicts": Self.json(self.rivals), "last_client_id_conflict": Self.json(self.lastRival),
            "lost_sessions": Self.json(self.lostSessions),
            "last_error": self.lastError.map { failure in
                ["time": .string(failure.time.description), "message": .string(failure.message)]
            } ?? .null,
        ]
    }

    /// Reads the JSON of another process; nil if it is none.
    package init?(_ json: JSON) {
        guard let clientID = json["client_id"].string, let start = json["started_at"].time,
            let broker = json["broker"]["name"].string, let database = json["database"]["name"].string
        else { return nil }
        self.init(clientID: clientID, share: json["share"].string, broker: broker, database: database, at: start)
        self.broker.since = json["broker"]["connected_since"].time
        self.database.since = json["database"]["connected_since"].time
        for stream in RecordStream.allCases {
            self.total.records[stream] = Self.count(json["records"][stream.rawValue])
        }
        self.total.samples = Self.count(json["samples"])
        self.samplesPerSecond = json["samples_per_second"].double ?? 0
        self.total.duplicates = Self.count(json["duplicates"])
        self.total.again = Self.count(json["again"])
        self.total.late = Self.count(json["late"])
        self.total.states = Self.count(json["states"])
        self.total.rejected = Self.count(json["rejected"])
        self.total.transactions = Self.count(json["batches"])
        self.total.conflicts = Self.count(json["conflicts"])
        self.lastCommit = json["last_commit"].time
        self.waiting = Self.count(json["waiting"])
        self.lag = json["lag_seconds"].double.map(Self.duration) ?? .zero
        self.total.delay = json["delay_seconds"].double.map(Self.duration)
        self.missing = json["missing"].count ?? 0
        self.incompleteStreams = Self.count(json["incomplete_streams"])
        self.asked = json["asked"].count ?? 0
        self.total.lost = json["lost"].count ?? 0
        self.sharedAgents = Self.count(json["shared_agents"])
        self.lastMessage = json["last_message"].time
        self.rivals = json["client_id_conflicts"].count ?? 0
        self.lastRival = json["last_client_id_conflict"].time
        self.lostSessions = json["lost_sessions"].count ?? 0
        if let time = json["last_error"]["time"].time, let message = json["last_error"]["message"].string {
            self.lastError = Failure(time: time, message: message)
        }
    }

    private static func count(_ json: JSON) -> Int { Int(clamping: json.count ?? 0) }

    private static func duration(_ seconds: Double) -> Duration {
        .milliseconds(Int64(min(max(seconds, 0), 1e9) * 1000))
    }

    private static func json(_ connection: Connection) -> JSON {
        ["name": .string(connection.name), "connected_since": Self.json(connection.since)]
    }

    private static func json(_ time: Timestamp?) -> JSON { time.map { .string($0.description) } ?? .null }

    private static func json(_ count: UInt64) -> JSON { .integer(Int64(clamping: count)) }
}
