// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import EventLoop

/// The key of the hashes that stand for VINs: 32 random bytes, which only the agent's user can read, beside the database.
///
/// With a key that others can read, such as the machine's id, a VIN is found in seconds by trying all.
enum NamingKey {
    static let name = "obd-agent.secret"
    private static let size = 32

    /// The key of this agent, made at the first start that needs one.
    ///
    /// - Parameter directory: nil for simulated vehicles, which have no owners: the machine names them.
    /// - Throws: ``AgentError`` if hashes are published and the key can neither be read nor be made. A key in memory only
    ///   would call the vehicle differently after each start.
    static func bytes(
        for identity: Configuration.Vehicle.Identity,
        in directory: String?,
        _ machine: MachineIdentity
    ) throws(AgentError) -> [UInt8] {
        guard let directory else { return Array(machine.agent.utf8) }
        do throws(AgentError) {
            if let key = try Self.read(in: directory) { return key }
            if identity != .vin { return try Self.make(in: directory) }
        } catch {
            if identity != .vin { throw error }
        }
        // Nothing was ever hashed here; VINs are published as they are.
        return Self.random()
    }

    /// Nil where there is no such file.
    private static func read(in directory: String) throws(AgentError) -> [UInt8]? {
        let path = "\(directory)/\(Self.name)"
        guard FileStamp(of: path) != nil else { return nil }
        guard let bytes = TextFile.bytes(of: path, limit: Self.size + 1), bytes.count == Self.size else {
            let advice = "Try: put a copy back, or remove it; vehicles get new names then"
            throw AgentError(description: "\(path) can't be read, or has not \(Self.size) bytes. \(advice)")
        }
        return bytes
    }

    private static func make(in directory: String) throws(AgentError) -> [UInt8] {
        let path = "\(directory)/\(Self.name)"
        let key = Self.random()
        if let problem = TextFile.writeAtomically(key, to: path) {
            let advice = "Try: make the directory writable, or [vehicle] identity = \"vin\""
            let description = "\(path) can't be made, which [vehicle] identity needs: \(problem). \(advice)"
            // Not the configuration's fault: the disk may have room at the next start.
            throw AgentError(description: description, status: .cannotCreate)
        }
        return key
    }

    private static func random() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<Self.size).map { _ in .random(in: 0...255, using: &generator) }
    }
}
