// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
package import Base

// What is remembered beside the records; it is on the disk with the next flush.
extension Store {
    /// The body of the last response to a command of this id; nil where there was none.
    ///
    /// - Throws: where there is a file that can't be read.
    package func response(to id: String) throws(StoreError) -> [UInt8]? {
        if let response = self.remembered.response(to: id) { return response }
        return try self.file?.response(to: id)
    }

    /// Whether one more command that must not be forgotten has room.
    package var hasRoomForCommand: Bool {
        let date = self.dates.kept.latest ?? Timestamp(milliseconds: 0)
        let written = (try? self.file?.pinnedCommands(at: date)) ?? 0
        return Int(written) + self.remembered.pinnedCommands(at: date) < Int(StoreFile.commandLimit)
    }

    /// The beginning of the journal of commands; nil where nothing outlives the process, or always.
    ///
    /// - Parameter start: the date of the boot as it is known now.
    package func journalBegins(_ start: BootStart) -> Timestamp? {
        guard let opened = self.opened else { return nil }
        return ((try? self.file?.journalBegins()) ?? nil) ?? start.date + opened.sinceBoot
    }

    /// Returns the latest date that has certainly passed; nil until there is one.
    ///
    /// - Parameter start: the date of the boot as it is known now.
    package func latestDate(at now: MonotonicTime, _ start: BootStart) -> Timestamp? {
        self.noteDate(at: now, start)
        return self.dates.kept.latest
    }

    /// Takes note of the present date, or of a reset of the dates by another process.
    func noteDate(at now: MonotonicTime, _ start: BootStart) {
        if let file = self.file, let kept = (try? StoreFile.dates(in: file.database)) ?? nil, kept != self.writtenDates
        {
            (self.dates.kept, self.writtenDates) = (kept, kept)
        }
        self.dates.note(at: now, start)
    }

    /// The time by which the latest date on the disk is behind.
    var latestDateLag: Duration {
        self.dates.kept.latest.map { $0 - (self.writtenDates?.latest ?? Timestamp(milliseconds: 0)) } ?? .zero
    }

    /// A command was answered so.
    package func remember(_ command: CommandEntry) { self.remembered.add(command) }

    /// This vehicle is the one that is connected.
    package func remember(_ vehicle: VehicleEntry) { self.remembered.add(vehicle) }

    /// Whether a vehicle of this name was ever identified.
    package func knows(_ vehicle: String) -> Bool {
        self.remembered.vehicles.contains { $0.name == vehicle } || ((try? self.file?.knows(vehicle)) ?? false)
    }

    /// What tells the vehicle of this name from others; nil where nobody has it yet, or where that is not known.
    package func mark(of vehicle: String) -> String? {
        if let entry = self.remembered.vehicles.last(where: { $0.name == vehicle }) { return entry.mark }
        return (try? self.file?.mark(of: vehicle)) ?? nil
    }

    /// A specialist has found this.
    package func remember(_ finding: FindingEntry) { self.remembered.add(finding) }

    /// The body of the newest finding about a vehicle; nil where there is none.
    package func lastFinding(of vehicle: String) -> [UInt8]? {
        self.remembered.findings.last { $0.vehicle == vehicle }?.body
            ?? ((try? self.file?.lastFinding(of: vehicle)) ?? nil)
    }

    /// What was kept as the selection of a vehicle.
    package func selection(of vehicle: String) -> [UInt8]? {
        self.remembered.selections[vehicle] ?? ((try? self.file?.selection(of: vehicle)) ?? nil)
    }

    /// This is what is polled of the vehicle, from now on and after a restart.
    package func remember(selection: [UInt8], of vehicle: String) { self.remembered.set(selection, of: vehicle) }
}
