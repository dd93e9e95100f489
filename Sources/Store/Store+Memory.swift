// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// What is remembered beside the records; it is on the disk with the next flush.
extension Store {
    /// The body of the last response to a command of this id; nil where there was none.
    package func response(to id: String) -> [UInt8]? {
        self.remembered.response(to: id) ?? ((try? self.file?.response(to: id)) ?? nil)
    }

    /// A command was answered so.
    package func remember(_ command: CommandEntry) { self.remembered.add(command) }

    /// This vehicle is the one that is connected.
    package func remember(_ vehicle: VehicleEntry) { self.remembered.add(vehicle) }

    /// Whether a vehicle of this name was ever identified.
    package func knows(_ vehicle: String) -> Bool {
        self.remembered.vehicles.contains { $0.name == vehicle } || ((try? self.file?.knows(vehicle)) ?? false)
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
