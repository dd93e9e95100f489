// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration
import OBD2
import Testing

@testable import Agent

@Suite("A configuration that is read again")
struct ConfigurationChangeTests {
    private func configuration(_ rest: String, url: String = "mqtts://broker.example") throws -> Configuration {
        let text = "[adapter]\naddress = \"ble\"\n[mqtt]\nurl = \"\(url)\"\n\(rest)"
        return try Configuration(toml: Array(text.utf8), file: "agent.toml")
    }

    @Test("Parameters and what is allowed count at once")
    func live() throws {
        let old = try self.configuration("[parameters]\nengine_speed = 1")
        let new = try self.configuration("[parameters]\nvehicle_speed = 2\n[commands]\nallow = [\"describe\"]")
        let change = ConfigurationChange(from: old, to: new)
        #expect(change.result == new)
        #expect(change.pending.isEmpty)
    }

    @Test("All else counts after a restart, and is named")
    func pending() throws {
        let old = try self.configuration("")
        let new = try self.configuration("[store]\nlimit_mib = 10", url: "mqtts://other.example")
        let change = ConfigurationChange(from: old, to: new)
        #expect(change.result == old)
        #expect(change.pending == ["[mqtt]", "[store]"])
    }

    @Test("A topic of a command counts after a restart")
    func buttons() throws {
        let old = try self.configuration("")
        let new = try self.configuration("[commands]\nbuttons = [\"read_codes\"]")
        let change = ConfigurationChange(from: old, to: new)
        #expect(change.result == old)
        #expect(change.pending == ["[commands] buttons"])
    }

    @Test(
        "Changes of the drive count after a restart, and are named",
        arguments: [
            ("[trips]", "over_speed = 130"), ("[capture]", "code = { enabled = false }"),
            ("[limit]", "hot = { when = \"coolant_temperature > 115\" }"),
            ("[derived]", "double = { formula = \"engine_speed * 2\" }"), ("[position]", "gpsd = \"localhost\""),
        ]
    )
    func drive(table: String, line: String) throws {
        let old = try self.configuration("")
        let change = ConfigurationChange(from: old, to: try self.configuration("\(table)\n\(line)"))
        #expect(change.result == old)
        #expect(change.pending == [table])
    }

    @Test("That the agent chooses the sets counts after a restart")
    func detection() throws {
        let old = try self.configuration("[parameters]\nengine_speed = 1")
        let new = try self.configuration("[parameters]\nengine_speed = 1\nsets = \"detect\"\ncatalog = \"/a\"")
        let change = ConfigurationChange(from: old, to: new)
        #expect(change.result == old)
        #expect(change.pending == ["[parameters] sets", "[parameters] catalog"])
    }

    @Test("A new custom parameter is not polled before a restart")
    func custom() throws {
        let old = try self.configuration("")
        let new = try self.configuration(
            "[parameters]\nengine_speed = 1\n[custom.charge]\nrequest = \"220101\"\nformula = \"A\"\ninterval = 10"
        )
        let change = ConfigurationChange(from: old, to: new)
        #expect(change.result.parameters.map(\.key) == [.pid(.init(rawValue: 0x0C))])
        #expect(change.pending == ["[custom]"])
    }
}
