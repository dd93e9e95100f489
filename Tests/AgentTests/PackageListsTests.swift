// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import TestSupport
import Testing

@testable import Agent

@Suite("The versions that apt knows")
struct PackageListsTests {
    private static let list = """
        Package: obd-agent
        Version: 0.2.0
        Description: publishes a vehicle
         Version: 9.9.9 is no field here

        Package: obd-agent-doc
        Version: 7

        Version: 0.1.0+deb12u1
        Package: obd-agent

        Package: obd-agent
        Version: has blanks in it

        Package: obd-agent
        Version: 0.2.0
        """

    @Test("Only the package's own stanzas count, each version once, in the order of the list")
    func list() {
        var lists = PackageLists()
        lists.add(list: Array(Self.list.utf8))
        #expect(lists.available == ["0.2.0", "0.1.0+deb12u1"])
        lists.add(list: [0xFF, 0x0A, 0x0A, 0x00])
        #expect(lists.available.count == 2)
    }

    @Test("The versions that were rolled back are those that apt's preferences forbid")
    func preferences() {
        var lists = PackageLists()
        lists.add(preferences: "Package: obd-agent\nPin: version 0.2.0\nPin-Priority: -1\n\nPin: release o=x\n")
        #expect(lists.rolledBack == ["0.2.0"])
        #expect(lists.json == ["available": [], "rolled_back": ["0.2.0"]])
    }

    @Test("Large and compressed lists are not read, and a machine without apt has none")
    func files() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Array(Self.list.utf8), to: "apt.example.org_._Packages")
        try directory.write(Array(Self.list.replacing("0.2.0", with: "0.3.0").utf8), to: "other_Packages.lz4")
        let large = Self.list.replacing("0.2.0", with: "0.4.0") + String(repeating: "\n", count: 1 << 20)
        try directory.write(Array(large.utf8), to: "large_Packages")
        try directory.write(Array("Pin: version 0.2.0".utf8), to: "pins")
        let found = PackageLists.present(lists: directory.path, preferences: "\(directory.path)/pins")
        #expect(found.available == ["0.2.0", "0.1.0+deb12u1"] && found.rolledBack == ["0.2.0"])
        #expect(PackageLists.present(lists: "/nonexistent", preferences: "/nonexistent") == PackageLists())
    }
}
