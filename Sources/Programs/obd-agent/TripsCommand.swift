// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Contract
import EventLoop
import Store

struct TripsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trips",
        abstract: "Lists the trips of a vehicle, or writes them as CSV or JSON Lines.",
        discussion: """
            The last trip may be under way: its row is what the agent has written to the disk. Works with and without a \
            running agent. Times are UTC, and numbers are metric. The recording has the last [store] keep_days.

            Examples:
              obd-agent trips
              obd-agent trips --from 2026-11-01 --to 2026-11-30 --format csv --output november.csv
              obd-agent trips --format jsonl
            """
    )

    @OptionGroup var recorded: RecordingOptions

    @OptionGroup var times: TimeRangeOptions

    @Option(name: .long, help: "csv (RFC 4180) or jsonl (default: a table).")
    var format: RowWriter.Format?

    @Option(
        name: .shortAndLong,
        help: "The file, a regular one: no link, device or FIFO (default, and -: standard output).",
        completion: .file()
    )
    var output: String?

    @Flag(name: .long, help: "Print the list as JSON, with all members of each trip.")
    var json = false

    /// A trip with the facts of its record.
    struct Recorded {
        let trip: JSON
        let end: Timestamp
        let clock: ClockQuality
        let isOngoing: Bool

        var start: Timestamp { TripRow.start(of: self.trip, end: self.end) }
    }

    func validate() throws {
        if self.output != nil, self.format == nil { throw ValidationError("--output needs --format csv or jsonl") }
        if self.json, self.format != nil { throw ValidationError("--json prints the list. Try: without --format") }
    }

    func run() throws {
        let (from, to) = try self.times.range()
        let isRoot = RootPrivileges.mustBeDropped(toOwnerOf: try self.recorded.place.path())
        let file = try self.format.map { _ in try OutputFile(self.output, replacing: true, inPlace: isRoot) }
        let recording = try self.recorded.open()
        let vehicle = try self.recorded.chosen(in: recording)
        let all = try Self.trips(of: vehicle.name, in: recording)
        let trips = all.filter { trip in
            (from.map { $0 <= trip.start } ?? true) && (to.map { trip.start < $0 } ?? true)
        }
        if self.json { return try JSONOutput.print(Self.list(trips, of: vehicle.name)) }
        guard let format = self.format, let file else {
            guard !trips.isEmpty else { return Console.print(Self.absence(of: vehicle.name, recorded: all.count)) }
            return Self.printTable(trips)
        }
        let writer = RowWriter(format, columns: TripRow.columns)
        try file.write(writer.header)
        for trip in trips {
            let cells = TripRow.cells(
                trip.trip,
                of: vehicle.name,
                end: trip.end,
                clock: trip.clock,
                isOngoing: trip.isOngoing
            )
            try file.write(writer.row(cells))
        }
        try file.close()
    }

    /// Returns the trips of a vehicle, the oldest first.
    private static func trips(of vehicle: String, in recording: Recording) throws -> [Recorded] {
        do {
            var trips = try recording.events(.trip, of: vehicle).map { entry in
                Recorded(
                    trip: JSON(payload: entry.body)["trip"],
                    end: entry.time,
                    clock: entry.clock,
                    isOngoing: false
                )
            }
            if let present = try recording.state(.trips, of: vehicle).flatMap(PresentTrip.init(stored:)) {
                trips.append(
                    Recorded(
                        trip: try JSON(encoding: present.report),
                        end: present.end,
                        clock: present.clock,
                        isOngoing: true
                    )
                )
            }
            return trips
        } catch let error as StoreError {
            throw CommandFailure(.noInput, "\(error)")
        }
    }

    /// Returns the list as JSON, in which the figures of each trip are those of its record.
    static func list(_ trips: [Recorded], of vehicle: String) -> JSON {
        let list = trips.map { trip -> JSON in
            [
                "start": .string(trip.start.description), "end": .string(trip.end.description),
                "clock": .string(trip.clock.rawValue), "ongoing": .bool(trip.isOngoing), "trip": trip.trip,
            ]
        }
        return ["vehicle": .string(vehicle), "trips": .array(list)]
    }

    /// Returns the sentence that there is no trip to list.
    ///
    /// - Parameter count: the number of trips at any time.
    static func absence(of vehicle: String, recorded count: Int) -> String {
        guard count > 0 else { return "There is no trip of \(vehicle)." }
        return "There is no trip of \(vehicle) in this time, but \(count.counted("trip")) at other times. "
            + "Try: without --from and --to."
    }

    private static func printTable(_ trips: [Recorded]) {
        var table = TextTable()
        table.append(["start", "min", "km", "km/h", "L", "L/100 km", "kWh", "kWh/100 km", ""])
        for trip in trips {
            let value = { (name: String) in trip.trip[name] == .null ? "" : trip.trip[name].text }
            let minutes = ((trip.trip["duration"].double ?? 0) / 60).rounded()
            table.append([
                trip.start.description + (trip.clock == .unsynchronised ? " ?" : ""), "\(Int(minutes))",
                value("distance"), value("mean_speed"), value("fuel"), value("fuel_consumption"), value("energy"),
                value("energy_consumption"), trip.isOngoing ? "under way" : "",
            ])
        }
        for line in table.lines { Console.print(line) }
        if trips.contains(where: { $0.clock == .unsynchronised }) {
            Console.print("A time with ? is from an unsynchronized clock.")
        }
    }
}
