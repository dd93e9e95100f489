// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import Base

/// A command in the journal.
package struct CommandEntry: Hashable, Sendable {
    /// What it is known by: no other has this.
    package let id: String
    /// When it came, on the monotonic clock of this boot.
    package let at: MonotonicTime
    /// Until when it must not be forgotten, whatever else has to go; nil: any time.
    package var until: Timestamp?
    /// The state in ``response``.
    package let state: CommandResponse.State
    /// The body of the last response to it.
    package let response: [UInt8]
    /// The vehicle that it was for, and where the requester waits for more; nobody waits behind the last word.
    package let destination: StoredRecord.Destination

    package init(
        id: String,
        at: MonotonicTime,
        until: Timestamp? = nil,
        state: CommandResponse.State,
        response: [UInt8],
        destination: StoredRecord.Destination
    ) {
        self.id = id
        self.at = at
        self.until = until
        self.state = state
        self.response = response
        self.destination = destination
    }
}

/// A command of which the journal has no last word.
package struct UnfinishedCommand: Hashable, Sendable {
    /// The body of the last response to it.
    package let response: [UInt8]
    /// The vehicle that it was for, empty where nobody knows, and where the requester waits for more.
    package let destination: StoredRecord.Destination
}

/// A vehicle that was connected.
package struct VehicleEntry: Hashable, Sendable {
    /// Its topic level.
    package let name: String
    package let vin: String?
    /// What tells it from others, also where its VIN is not kept.
    package let mark: String?
    /// When it was identified, on the monotonic clock of this boot.
    package let at: MonotonicTime

    package init(name: String, vin: String?, mark: String? = nil, at: MonotonicTime) {
        self.name = name
        self.vin = vin
        self.mark = mark ?? vin
        self.at = at
    }
}

// What is remembered beside the records.
extension StoreFile {
    /// How many commands the journal has at most.
    static let commandLimit: Int64 = 10_000
    /// How long it has them where the dates are known, in milliseconds: 30 days.
    static let commandAge: Int64 = 30 * 86_400_000
    /// How many vehicles are remembered at most.
    static let vehicleLimit: Int64 = 1000

    /// The body of the last response to a command of this id.
    func response(to id: String) throws(StoreError) -> [UInt8]? {
        try Self.translating { () throws(SQLiteError) in
            var body: [UInt8]?
            try self.database.run("SELECT response FROM commands WHERE id = ?", [.text(id)]) { body = $0.blob(0) }
            return body
        }
    }

    /// The number of commands that must not be forgotten yet.
    ///
    /// - Parameter date: the latest date that has certainly passed.
    func pinnedCommands(at date: Timestamp) throws(StoreError) -> Int64 {
        try Self.translating { () throws(SQLiteError) in
            try self.database.integer("SELECT count(*) FROM commands WHERE until > ?", [.integer(date.milliseconds)])
                ?? 0
        }
    }

    /// The commands that were accepted and nothing more.
    func unfinishedCommands() throws(StoreError) -> [UnfinishedCommand] {
        try Self.translating { () throws(SQLiteError) in
            var commands: [UnfinishedCommand] = []
            try self.database.run(
                """
                SELECT response, vehicle, response_topic, correlation FROM commands
                WHERE state IN (?, ?) ORDER BY number
                """,
                [.text(CommandResponse.State.accepted.rawValue), .text(CommandResponse.State.running.rawValue)]
            ) { row in
                var destination = StoredRecord.Destination(vehicle: row.text(1) ?? "")
                (destination.responseTopic, destination.correlationData) = (row.text(2), row.blob(3))
                commands.append(UnfinishedCommand(response: row.blob(0) ?? [], destination: destination))
            }
            return commands
        }
    }

    /// What was sent on the last day of which that was written down.
    func traffic() throws(StoreError) -> DayTraffic? {
        try Self.translating { () throws(SQLiteError) in
            guard let date = try self.database.integer("SELECT value FROM meta WHERE name = 'traffic_date'"),
                let bytes = try self.database.integer("SELECT value FROM meta WHERE name = 'traffic_bytes'")
            else { return nil }
            return DayTraffic(date: date, bytes: Int(max(0, bytes)))
        }
    }

    /// The vehicle that was connected last.
    func lastVehicle() throws(StoreError) -> (name: String, mark: String?)? {
        try Self.translating { () throws(SQLiteError) in
            var last: (String, String?)?
            try self.database.run("SELECT name, mark FROM vehicles ORDER BY number DESC LIMIT 1") { row in
                last = row.text(0).map { ($0, row.text(1)) }
            }
            return last
        }
    }

    /// What tells the vehicle of this name from others; nil where that is not known.
    func mark(of vehicle: String) throws(StoreError) -> String? {
        try Self.translating { () throws(SQLiteError) in
            var mark: String?
            try self.database.run("SELECT mark FROM vehicles WHERE name = ?", [.text(vehicle)]) { mark = $0.text(0) }
            return mark
        }
    }

    /// What was kept as the selection of a vehicle.
    func selection(of vehicle: String) throws(StoreError) -> [UInt8]? {
        try Self.translating { () throws(SQLiteError) in
            var body: [UInt8]?
            try self.database.run("SELECT body FROM selections WHERE vehicle = ?", [.text(vehicle)]) {
                body = $0.blob(0)
            }
            return body
        }
    }

    /// What is known of the date of a boot.
    func start(of boot: String) throws(StoreError) -> BootStart? {
        try Self.translating { () throws(SQLiteError) in
            var start: BootStart?
            try self.database.run("SELECT started, trusted FROM boots WHERE boot = ?", [.text(boot)]) { row in
                guard let started = row.integer(0) else { return }
                start = BootStart(
                    date: Timestamp(milliseconds: started),
                    quality: row.integer(1) == 1 ? .synchronised : .unsynchronised
                )
            }
            return start
        }
    }

    func write(_ batch: Batch, boot: Int64) throws(SQLiteError) {
        for command in batch.commands {
            try self.database.run(
                """
                INSERT INTO commands (id, boot, at, response, vehicle, response_topic, correlation, until, state)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                ON CONFLICT (id) DO UPDATE
                SET response = ?4, response_topic = ?6, correlation = ?7, until = coalesce(?8, until), state = ?9
                """,
                [
                    .text(command.id), .integer(boot), .integer(command.at.sinceBoot.milliseconds),
                    .blob(command.response), .text(command.destination.vehicle),
                    Value(command.destination.responseTopic), Value(command.destination.correlationData),
                    command.until.map { .integer($0.milliseconds) } ?? .null, .text(command.state.rawValue),
                ]
            )
        }
        if let dates = batch.dates { try Self.write(dates, to: self.database) }
        if batch.start.quality == .synchronised {
            try self.beginJournal(at: batch.start.date + batch.opened.sinceBoot, now: batch.certainDate)
        }
        if !batch.commands.isEmpty { try self.prune(batch.dates?.latest) }
        for vehicle in batch.vehicles { try self.write(vehicle, boot: boot) }
        for value in batch.values { try self.write(value, boot: boot) }
        for (vehicle, body) in batch.selections {
            try self.database.run(
                "INSERT OR REPLACE INTO selections VALUES (?, ?)",
                [.text(vehicle), .blob(body)]
            )
        }
        try self.write(batch.findings, boot: boot)
        try self.write(batch.announced)
        guard let traffic = batch.traffic else { return }
        for (name, value) in [("traffic_date", traffic.date), ("traffic_bytes", Int64(traffic.bytes))] {
            try self.database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", [.text(name), .integer(value)])
        }
    }

    private func write(_ vehicle: VehicleEntry, boot: Int64) throws(SQLiteError) {
        var last: String?
        try self.database.run("SELECT name FROM vehicles ORDER BY number DESC LIMIT 1") { last = $0.text(0) }
        guard last != vehicle.name else {
            // It is the one since when it was: nothing of the one before it is younger.
            return try self.database.run(
                "UPDATE vehicles SET vin = ?2, mark = ?3 WHERE name = ?1 AND (vin IS NOT ?2 OR mark IS NOT ?3)",
                [.text(vehicle.name), Value(vehicle.vin), Value(vehicle.mark)]
            )
        }
        // A new row, so that it is the last.
        try self.database.run(
            "INSERT OR REPLACE INTO vehicles (name, vin, mark, boot, at) VALUES (?, ?, ?, ?, ?)",
            [
                .text(vehicle.name), Value(vehicle.vin), Value(vehicle.mark), .integer(boot),
                .integer(vehicle.at.sinceBoot.milliseconds),
            ]
        )
        try self.database.run(
            "DELETE FROM vehicles WHERE number <= (SELECT max(number) FROM vehicles) - \(Self.vehicleLimit)"
        )
    }

    private func write(_ value: LastValue, boot: Int64) throws(SQLiteError) {
        try self.database.run(
            "INSERT OR REPLACE INTO last_values VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                .text(value.vehicle), .text(value.series), .text(value.ecu), .text(value.value.text),
                Value(value.label), Value(value.unit), .integer(boot), .integer(value.at.sinceBoot.milliseconds),
            ]
        )
    }

    /// Removes commands from the journal: too many of them, or those of 30 days ago that have expired.
    ///
    /// - Parameter latest: the latest date that has certainly passed, which is on the disk with this at the latest: by
    ///   any other date a command could be forgotten and come again.
    private func prune(_ latest: Timestamp?) throws(SQLiteError) {
        let latest = (latest ?? Timestamp(milliseconds: 0)).milliseconds
        let count = try self.database.integer("SELECT count(*) FROM commands") ?? 0
        if count > Self.commandLimit {
            // What may come back goes last, and is not let in where there would be too many of it.
            try self.database.run(
                """
                DELETE FROM commands WHERE number IN
                (SELECT number FROM commands ORDER BY coalesce(until, 0) > ?, number LIMIT ?)
                """,
                [.integer(latest), .integer(count - Self.commandLimit)]
            )
        }
        try self.database.run(
            """
            DELETE FROM commands WHERE number IN (SELECT c.number FROM commands c JOIN boots b ON b.id = c.boot
            WHERE b.trusted = 1 AND b.started + c.at < ? AND coalesce(c.until, 0) <= ?)
            """,
            [.integer(latest - Self.commandAge), .integer(latest)]
        )
    }
}
