// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Configuration
import EventLoop
import Store

/// The options that choose the recording.
struct RecordingDirectory: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions

    @Option(
        name: .long,
        help: "The directory of the agent's files (default: that of the configuration).",
        completion: .directory
    )
    var directory: String?

    /// The directory of the recording.
    func path() throws -> String { try self.directory ?? self.configured() ?? StateDirectory.own }

    /// Opens the recording, as the directory's owner where this is root.
    func open() throws -> Recording {
        let directory = try self.path()
        let isRoot = RootPrivileges.mustBeDropped(toOwnerOf: directory)
        do {
            try RootPrivileges.drop(toOwnerOf: directory)
            return try Recording(in: directory)
        } catch let error as RootPrivileges.NotDropped {
            throw CommandFailure(.noPermission, "\(error)")
        } catch {
            guard let error = error as? StoreError, case .noDatabase(let path) = error else {
                throw CommandFailure(.noInput, "\(error)")
            }
            // An agent that root has started by hand makes files of root in the directory of the service.
            guard !isRoot || !TextFile.isRegular(path) else {
                throw CommandFailure(
                    .noInput,
                    "\(path) cannot be read with the rights of its directory's owner, which this command takes",
                    next: "stop the agent, then: sudo chown --no-dereference --reference=\(directory) \(directory)/*"
                )
            }
            throw CommandFailure(
                .noInput,
                "\(error). The agent creates it when it runs; only root and the agent's user can read it",
                next: "sudo, or another --directory, --config or STATE_DIRECTORY."
            )
        }
    }

    /// Returns the directory that the configuration names.
    ///
    /// Nil if it names none, or if the configuration of the default path cannot be read.
    private func configured() throws -> String? {
        guard self.configuration.config == ConfigurationOptions.defaultPath else {
            return try self.configuration.load().store.directory
        }
        return try? self.configuration.read().store.directory
    }
}

/// The options that choose a vehicle of a recording.
struct RecordingOptions: ParsableArguments {
    @OptionGroup var place: RecordingDirectory

    @Option(name: .long, help: "The vehicle's VIN or name. Needed only if more than one is known.")
    var vehicle: String?

    /// Opens the recording.
    func open() throws -> Recording { try self.place.open() }

    /// Returns the named vehicle, or the only one.
    func chosen(in recording: Recording) throws -> Recording.Vehicle {
        let vehicles: [Recording.Vehicle]
        do { vehicles = try recording.vehicles() } catch { throw CommandFailure(.noInput, "\(error)") }
        let names = vehicles.map(\.title).sorted().joined(separator: ", ")
        guard let last = vehicles.last else {
            throw CommandFailure(
                .noInput,
                "the recording is empty: the agent has not identified a vehicle yet",
                next: "switch the ignition on while the agent runs, and look at: systemctl status obd-agent."
            )
        }
        guard let name = self.vehicle else {
            guard vehicles.count == 1 else {
                throw CommandFailure(
                    .usage,
                    "the recording has \(vehicles.count) vehicles, and --vehicle is missing. Known vehicles: \(names)",
                    next: "--vehicle \(last.name)"
                )
            }
            return last
        }
        let wanted = name.lowercased()
        // A vehicle may have been recorded under its VIN before it got a name. The later one counts.
        guard
            let vehicle = vehicles.last(where: { $0.name == name })
                ?? vehicles.last(where: { $0.name.lowercased() == wanted || $0.vin?.lowercased() == wanted })
        else {
            let near = NearName.find(name, in: vehicles.flatMap { [$0.name, $0.vin].compactMap(\.self) })
            throw CommandFailure(
                .noInput,
                "\"\(name)\" is unknown. Known vehicles: \(names)",
                next: near.map { "--vehicle \($0.shellWord)" } ?? "--vehicle with one of them."
            )
        }
        return vehicle
    }
}

extension Recording.Vehicle {
    /// The name, with the VIN if it is another.
    fileprivate var title: String {
        guard let vin = self.vin, vin != self.name else { return self.name }
        return "\(self.name) (\(vin))"
    }
}
