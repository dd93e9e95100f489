// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Agent

@Suite("The key of the hashes that stand for VINs")
struct NamingKeyTests {
    private typealias Identity = Configuration.Vehicle.Identity

    private static let machine = MachineIdentity(agent: "a1b2c3d4e5f6", boot: "boot")

    private static func key(_ identity: Identity, _ directory: String?) throws -> [UInt8] {
        try NamingKey.bytes(for: identity, in: directory, Self.machine)
    }

    @Test("It is made once, random, for its owner only, and stays", arguments: [Identity.hash, .alias])
    func made(identity: Configuration.Vehicle.Identity) throws {
        let (first, second) = (try TemporaryDirectory(), try TemporaryDirectory())
        let key = try Self.key(identity, first.path)
        #expect(key.count == 32 && Set(key).count > 8)
        #expect(try Self.key(identity, first.path) == key)
        // The machine is the same.
        #expect(try Self.key(identity, second.path) != key)
        var status = stat()
        #expect(unsafe stat("\(first.path)/\(NamingKey.name)", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600 && status.st_size == 32)
        #expect(FileStamp(of: "\(first.path)/\(NamingKey.name).new") == nil)
    }

    @Test("If VINs are published, no key is created, and an existing one is still used")
    func unneeded() throws {
        let directory = try TemporaryDirectory()
        #expect(try Self.key(.vin, directory.path) != Self.key(.vin, directory.path))
        #expect(FileStamp(of: "\(directory.path)/\(NamingKey.name)") == nil)
        let key = try Self.key(.hash, directory.path)
        #expect(try Self.key(.vin, directory.path) == key)
        #expect(try Self.key(.hash, nil) == Self.key(.hash, nil))
    }

    @Test("If the key cannot be created, the agent does not start and systemd retries")
    func unwritable() {
        let error = #expect(throws: AgentError.self) { try Self.key(.hash, "/nowhere/obd-agent") }
        #expect(error?.status == .cannotCreate)
        #expect(
            error?.description.hasPrefix(
                "/nowhere/obd-agent/obd-agent.secret, which hashes and zones need, cannot be created"
            ) == true
        )
        #expect(throws: Never.self) { try Self.key(.vin, "/nowhere/obd-agent") }
    }

    @Test("A file of another length is not replaced: a human decides", arguments: [0, 31, 33])
    func damaged(count: Int) throws {
        let directory = try TemporaryDirectory()
        try directory.write([UInt8](repeating: 7, count: count), to: NamingKey.name)
        let error = #expect(throws: AgentError.self) { try Self.key(.alias, directory.path) }
        #expect(error?.status == .configuration)
        #expect(TextFile.bytes(of: "\(directory.path)/\(NamingKey.name)", limit: 99)?.count == count)
        #expect(throws: Never.self) { try Self.key(.vin, directory.path) }
    }
}
