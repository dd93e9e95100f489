// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import SQLite

// The data beside the records. It is on the disk after the next flush.
extension Store {
    // MARK: - Commands

    /// Returns the body of the last response to a command; nil if there was none.
    ///
    /// - Throws: if there is a file that can't be read.
    package func response(to id: String) throws(StoreError) -> [UInt8]? {
        if let response = self.unwritten.response(to: id) { return response }
        guard let file = self.file else { return nil }
        return try StoreError.wrapping { () throws(SQLiteError) in try file.commands.response(to: id) }
    }

    /// Whether the journal has room for another command that must not be deleted.
    package var hasRoomForCommand: Bool {
        let date = self.dates.latest ?? Timestamp(milliseconds: 0)
        let written = (try? self.file?.commands.pinnedCount(at: date)) ?? 0
        return Int(written) + self.unwritten.pinnedCommands(at: date) < Int(CommandTable.limit)
    }

    /// Returns the date from which the journal is complete; nil if nothing is persisted, or no date is known.
    ///
    /// - Parameter start: the date of the boot as it is known now.
    package func journalStart(_ start: BootStart) -> Timestamp? {
        guard let openedAt = self.openedAt else { return nil }
        return ((try? self.file?.meta.journalStart()) ?? nil) ?? start.date + openedAt.sinceBoot
    }

    /// Keeps the last response to a command.
    package func remember(_ command: CommandEntry) { self.unwritten.add(command) }

    // MARK: - Dates

    /// Returns the latest date that has certainly passed; nil until there is one.
    ///
    /// - Parameter start: the date of the boot as it is known now.
    package func latestDate(at now: MonotonicTime, _ start: BootStart) -> Timestamp? {
        self.noteDate(at: now, start)
        return self.dates.latest
    }

    /// Takes note of the current date, or of a reset of the dates by another process.
    func noteDate(at now: MonotonicTime, _ start: BootStart) {
        self.dates.note(at: now, start, onDisk: (try? self.file?.meta.dates()) ?? nil)
    }

    /// Keeps the sent bytes of a day.
    ///
    /// They are written with the next commit, and are not worth a commit of their own.
    package func remember(_ traffic: DayTraffic) { self.unwritten.traffic = traffic }

    // MARK: - Vehicles

    /// Keeps a vehicle as the connected one.
    package func remember(_ vehicle: VehicleEntry) { self.unwritten.add(vehicle) }

    /// Returns whether a vehicle of this name was ever identified.
    package func isKnown(_ vehicle: String) -> Bool {
        self.unwritten.vehicles.contains { $0.name == vehicle }
            || ((try? self.file?.vehicles.contains(vehicle)) ?? false)
    }

    /// Returns the mark that identifies the vehicle of this name; nil if the name is free or the mark unknown.
    package func mark(of vehicle: String) -> String? {
        if let entry = self.unwritten.vehicles.last(where: { $0.name == vehicle }) { return entry.mark }
        return (try? self.file?.vehicles.mark(of: vehicle)) ?? nil
    }

    /// Returns the marks on the disk that begin with a text, each with a state of its vehicle.
    ///
    /// The mark of the vehicle that was connected last is the first.
    package func marks(
        startingWith prefix: String,
        with kind: StoredState.Kind,
        limit: Int
    ) -> [(mark: String, state: [UInt8]?)] {
        (try? self.file?.vehicles.marks(startingWith: prefix, with: kind, limit: limit)) ?? []
    }

    /// Returns the date of the vehicle's newest value on the disk.
    package func lastSeen(_ vehicle: String) -> Timestamp? {
        (try? self.file?.vehicles.lastValueTime(of: vehicle)) ?? nil
    }

    /// Returns the stored state of a vehicle; nil if there is none of this kind.
    package func state(_ kind: StoredState.Kind, of vehicle: String) -> [UInt8]? {
        self.unwritten.states[kind]?[vehicle] ?? ((try? self.file?.vehicles.state(kind, of: vehicle)) ?? nil)
    }

    /// Returns whether the newest state of a vehicle is on the disk, or there is none of this kind.
    package func isWritten(_ kind: StoredState.Kind, of vehicle: String) -> Bool {
        self.unwritten.states[kind]?[vehicle] == nil
    }

    /// Keeps a state of a vehicle in place of an earlier one.
    ///
    /// The next flush writes it to the disk.
    package func remember(_ state: StoredState, of vehicle: String) { self.unwritten.set(state, of: vehicle) }

    // MARK: - Findings and announcements

    /// Adds a finding of a specialist, which the command `record_finding` brings.
    ///
    /// The next flush writes it to the disk.
    package func remember(_ finding: FindingEntry) { self.unwritten.add(finding) }

    /// Returns the body of the newest finding about a vehicle; nil if there is none.
    package func lastFinding(of vehicle: String) -> [UInt8]? {
        self.unwritten.findings.last { $0.vehicle == vehicle }?.body
            ?? ((try? self.file?.findings.last(of: vehicle)) ?? nil)
    }

    /// Returns all announcements outside the vehicles' topics.
    package func announced() -> [AnnouncedEntry] {
        self.unwritten.announced ?? ((try? self.file?.announcements.all()) ?? [])
    }

    /// Keeps announcements in place of all earlier ones.
    package func remember(announced: [AnnouncedEntry]) { self.unwritten.announced = announced }
}
