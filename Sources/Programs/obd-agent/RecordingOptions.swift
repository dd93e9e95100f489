// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import Agent
import ArgumentParser
import Configuration
import EventLoop
import Store

/// Which recording.
struct RecordingDirectory: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions

    @Option(name: .long, help: "Where the agent keeps its database; without it, where the configuration says.")
    var directory: String?

    /// The directory of the recording.
    func path() throws -> String { try self.directory ?? self.configured() ?? StateDirectory.own }

    /// Opens the recording, as the directory's owner where this is root.
    func open() throws -> Recording {
        let directory = try self.path()
        do {
            try RootPrivileges.drop(toOwnerOf: directory)
            return try Recording(in: directory)
        } catch let error as RootPrivileges.NotDropped {
            throw CommandFailure(.noPermission, "\(error)")
        } catch {
            guard let error = error as? StoreError, case .noDatabase = error else {
                throw CommandFailure(.noInput, "\(error)")
            }
            throw CommandFailure(
                .noInput,
                """
                \(error). The agent makes it when it runs; --directory, --config or STATE_DIRECTORY say where else to \
                look. It may be read by root and by the agent's user only: try sudo.
                """
            )
        }
    }

    /// The directory of the configuration; nil where that names none, or there is none in the usual place.
    private func configured() throws -> String? {
        guard self.configuration.config == ConfigurationOptions.defaultPath else {
            return try self.configuration.load().store.directory
        }
        return try? self.configuration.read().store.directory
    }
}

/// Which recording, and which vehicle of it.
struct RecordingOptions: ParsableArguments {
    @OptionGroup var place: RecordingDirectory

    @Option(name: .long, help: "The vehicle's VIN or name; needed only where more than one is known.")
    var vehicle: String?

    /// Opens the recording.
    func open() throws -> Recording { try self.place.open() }

    /// The vehicle that is meant.
    func chosen(in recording: Recording) throws -> Recording.Vehicle {
        let vehicles: [Recording.Vehicle]
        do { vehicles = try recording.vehicles() } catch { throw CommandFailure(.noInput, "\(error)") }
        let names = vehicles.map(\.title).sorted().joined(separator: ", ")
        guard let last = vehicles.last else {
            throw CommandFailure(.noInput, "nothing is recorded yet: the agent has not identified a vehicle")
        }
        guard let name = self.vehicle else {
            guard vehicles.count == 1 else {
                throw CommandFailure(.usage, "--vehicle is missing; these are known: \(names)")
            }
            return last
        }
        let wanted = name.lowercased()
        // A vehicle may have been recorded under its VIN before it got a name: the later one counts.
        guard
            let vehicle = vehicles.last(where: { $0.name == name })
                ?? vehicles.last(where: { $0.name.lowercased() == wanted || $0.vin?.lowercased() == wanted })
        else { throw CommandFailure(.noInput, "\"\(name)\" is not known; these are: \(names)") }
        return vehicle
    }
}

extension Recording.Vehicle {
    /// For people.
    fileprivate var title: String {
        guard let vin = self.vin, vin != self.name else { return self.name }
        return "\(self.name) (\(vin))"
    }
}
