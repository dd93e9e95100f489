// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import EventLoop

/// The key of the hashes that replace VINs and that move the circles around zones: 32 random bytes beside the database,
/// readable only by the agent's user.
///
/// With a key that others can read, such as the machine's id, trying all VINs finds the right one in seconds.
enum NamingKey {
    static let name = "obd-agent.secret"
    private static let size = 32

    /// Returns the key of this agent, which the first start that needs one creates.
    ///
    /// - Parameters:
    ///   - hidesZones: whether there are zones, whose circles must be the same after each start.
    ///   - directory: the directory of the database; nil for simulated vehicles, whose key is the machine's id.
    /// - Throws: ``AgentError`` if the key is needed and can neither be read nor be created. A key in memory would give
    ///   the vehicle another name after each start, and the circles other places.
    static func bytes(
        for identity: Configuration.Vehicle.Identity,
        hidesZones: Bool = false,
        in directory: String?,
        _ machine: MachineIdentity
    ) throws(AgentError) -> [UInt8] {
        guard let directory else { return Array(machine.agent.utf8) }
        let isRequired = identity != .vin || hidesZones
        do throws(AgentError) {
            if let key = try Self.read(in: directory) { return key }
            if isRequired { return try Self.make(in: directory) }
        } catch {
            if isRequired { throw error }
        }
        // VINs are published, and nothing was hashed before: a temporary key suffices.
        return Self.random()
    }

    /// Reads the key; nil if the file does not exist.
    private static func read(in directory: String) throws(AgentError) -> [UInt8]? {
        let path = "\(directory)/\(Self.name)"
        guard FileStamp(of: path) != nil else { return nil }
        guard let bytes = TextFile.bytes(of: path, limit: Self.size + 1), bytes.count == Self.size else {
            let advice = "Try: restore a copy; or remove the file, which gives vehicles new names"
            throw AgentError(description: "\(path) cannot be read, or is not \(Self.size) bytes long. \(advice)")
        }
        return bytes
    }

    private static func make(in directory: String) throws(AgentError) -> [UInt8] {
        let path = "\(directory)/\(Self.name)"
        let key = Self.random()
        if let problem = TextFile.writeAtomically(key, to: path) {
            let advice = "Try: make the directory writable, or [vehicle] identity = \"vin\" without [[position.zones]]"
            let description = "\(path), which hashes and zones need, cannot be created: \(problem). \(advice)"
            // Not a configuration error: the disk may have room at the next start.
            throw AgentError(description: description, status: .cannotCreate)
        }
        return key
    }

    private static func random() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<Self.size).map { _ in .random(in: 0...255, using: &generator) }
    }
}
