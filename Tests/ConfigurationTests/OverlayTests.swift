// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Glibc
import OBD2
import TestSupport
import Testing

@testable import Configuration

@Suite("Several files, variables and credentials")
struct OverlayTests {
    /// Reads ``shortest``, and after it `overlays` as `1.toml`, `2.toml` and so on.
    private func read(
        _ overlays: String...,
        main: String = shortest,
        host: HostFacts = HostFacts()
    ) throws(ConfigurationError) -> Configuration {
        let files = overlays.enumerated().map { SourceFile(name: "\($0 + 1).toml", bytes: Array($1.utf8)) }
        return try Configuration(toml: Array(main.utf8), file: "agent.toml", overlays: files, host: host)
    }

    private func problems(_ overlays: String, main: String = shortest, host: HostFacts = HostFacts()) -> String {
        do {
            _ = try self.read(overlays, main: main, host: host)
            return ""
        } catch {
            return error.description
        }
    }

    @Test("A key of a later file replaces an earlier one, and others stay")
    func keys() throws {
        let configuration = try self.read(
            "[mqtt]\nusername = \"a\"\ntopic_prefix = \"one\"\n[vehicle]\nname = \"van\"",
            "[mqtt]\nusername = \"b\""
        )
        #expect(configuration.mqtt.username == "b")
        #expect(configuration.mqtt.topicPrefix.description == "one")
        #expect(configuration.mqtt.servers.map(\.description) == ["mqtts://broker.example:8883"])
        #expect(configuration.vehicle.name == "van")
    }

    @Test("Lists and custom parameters are replaced as a whole, selected parameters are merged")
    func wholes() throws {
        let custom = "[custom.charge]\nrequest = \"220101\"\nformula = \"A\""
        let configuration = try self.read(
            "[commands]\nallow = [\"describe\"]\n[parameters]\nvehicle_speed = 2\n\(custom)",
            main: shortest + "[commands]\nallow = [\"read_codes\", \"boost\"]\n[parameters]\nengine_speed = 1\n"
                + custom + "\nunit = \"%\"\ninterval = 3\n"
        )
        #expect(configuration.commands.allow == ["describe"])
        #expect(configuration.parameters.map(\.interval) == [.seconds(1), .seconds(2)])
        #expect(configuration.custom.map(\.name) == ["charge"])
    }

    @Test("A problem has the file and the line of its value")
    func places() {
        #expect(self.problems("\n[mqtt]\nusernme = 1").hasPrefix("1.toml:3: [mqtt] usernme: unknown key"))
        #expect(self.problems("[adapter]\naddress = \"tcp:x\"").hasPrefix("1.toml:2: [adapter] address:"))
        #expect(self.problems("x = = 1").hasPrefix("1.toml:1: "))
        let inMain = shortest + "units = \"feet\"\n"
        #expect(self.problems("[mqtt]\nusername = \"a\"", main: inMain).hasPrefix("agent.toml:5: [mqtt] units:"))
    }

    @Test("Variables are replaced by the machine's id and host name")
    func variables() throws {
        let host = HostFacts(machineID: "0123456789ab", hostname: "pi")
        let configuration = try self.read(
            "[vehicle]\nname = \"${hostname}-${machine_id}$\"\n[mqtt]\nurl = [\"mqtts://${hostname}.example\"]",
            host: host
        )
        #expect(configuration.vehicle.name == "pi-0123456789ab$")
        #expect(configuration.mqtt.servers.map(\.description) == ["mqtts://pi.example:8883"])
        #expect(
            self.problems("[vehicle]\nname = \"${host}\"", host: host)
                == "1.toml:2: [vehicle] name: \"${host}\" is not a variable. Try: ${machine_id} or ${hostname}"
        )
        #expect(self.problems("[vehicle]\nname = \"${hostname\"", host: host).contains("is not a variable"))
        #expect(
            self.problems("[vehicle]\nname = \"${hostname}\"")
                == "1.toml:2: [vehicle] name: this machine has no value for ${hostname}"
        )
    }

    @Test("A credential is replaced by the path of systemd's file")
    func credentials() throws {
        let host = HostFacts(credential: { $0 == "key" ? "/run/credentials/x/key" : nil })
        let keys = "[commands]\ntrusted_keys = "
        #expect(try self.read(keys + "\"credential:key\"", host: host).commands.trustedKeys == "/run/credentials/x/key")
        #expect(
            self.problems(keys + "\"credential:other\"", host: host)
                == "1.toml:2: [commands] trusted_keys: there is no credential \"other\". Try: "
                + "write it to /etc/credstore/obd-agent.other, and restart obd-agent"
        )
        for name in ["", "../key", ".key", "a/b"] {
            #expect(self.problems(keys + "\"credential:\(name)\"", host: host).contains("expected the absolute path"))
        }
    }

    @Test("The files of agent.toml.d that end in .toml are read in the order of their names")
    func directory() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        unsafe mkdir("\(path)/agent.toml.d", 0o700)
        try directory.write(shortest, to: "agent.toml")
        try directory.write("[vehicle]\nname = \"second\"", to: "agent.toml.d/20.toml")
        try directory.write("[vehicle]\nname = \"first\"", to: "agent.toml.d/10.toml")
        try directory.write("nonsense", to: "agent.toml.d/30.off")
        #expect(try Configuration.load(path: "\(path)/agent.toml").vehicle.name == "second")
    }
}
