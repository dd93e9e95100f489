// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import EventLoop
import Session

/// The file with the facts about the adapter and the vehicle that the next process can use.
///
/// The file is beside the database, so that it outlives a start of the machine. A change of a fact rewrites it, without a
/// flush of the disk, for which the session must not wait. A file that cannot be read, is about the adapter at another
/// address, or was written by another version of this program, which may try the adapter better, counts as none.
package struct AdapterFile: Sendable {
    package static let name = "obd-agent.adapter"

    private let path: String
    private let address: String
    private let version: String

    /// - Parameters:
    ///   - directory: the directory of the database.
    ///   - address: the configured address of the adapter.
    ///   - version: the version of this program.
    init(directory: String, address: String, version: String) {
        self.path = "\(directory)/\(Self.name)"
        (self.address, self.version) = (address, version)
    }

    /// The facts of the file, and the way to replace them.
    var memory: AdapterMemory {
        let (known, vehicle) = self.read()
        return AdapterMemory(known, vehicle) { self.keep($0, $1) }
    }

    func read() -> (KnownAdapter?, KnownVehicle?) {
        guard let text = TextFile.read(self.path), let json = try? JSON(parsing: Array(text.utf8), depthLimit: 8),
            json["address"].string == self.address, json["version"].string == self.version
        else { return (nil, nil) }
        return (KnownAdapter(json["adapter"]), KnownVehicle(json["vehicle"]))
    }

    func keep(_ adapter: KnownAdapter, _ vehicle: KnownVehicle?) {
        var members: [String: JSON] = [
            "address": .string(self.address), "version": .string(self.version), "adapter": adapter.json,
        ]
        members["vehicle"] = vehicle?.json
        let text = JSON.object(members).text
        _ = TextFile.writeAtomically(Array("\(text)\n".utf8), to: self.path, isFlushed: false)
    }
}
