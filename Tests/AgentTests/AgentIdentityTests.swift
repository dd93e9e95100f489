// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import EventLoop
import Testing

@Suite("The identity of an agent on its machine")
struct AgentIdentityTests {
    private static let machine = MachineIdentity(agent: "a1b2c3d4e5f6", boot: "boot")

    @Test(
        "The agent of the usual directory has the machine's id",
        arguments: ["/var/lib/obd-agent", "/var/lib/obd-agent/", "//var//lib/obd-agent"]
    )
    func usual(directory: String) {
        #expect(Self.machine.agent(in: directory).agent == "a1b2c3d4e5f6")
    }

    @Test("Each other directory has an id of its own, which is the same however the path is written")
    func others() {
        let directories = ["/var/lib/obd-agent-2", "/var/lib/obd-agent/2", "/data", "/"]
        let ids = directories.map { Self.machine.agent(in: $0).agent }
        #expect(Set(ids + ["a1b2c3d4e5f6"]).count == directories.count + 1)
        #expect(ids.allSatisfy { $0.utf8.count == 12 })
        #expect(Self.machine.agent(in: "//data/").agent == ids[2])
        let other = MachineIdentity(agent: "0123456789ab", boot: "boot")
        #expect(other.agent(in: "/data").agent != ids[2])
        #expect(Self.machine.agent(in: "/data").boot == "boot")
    }
}
