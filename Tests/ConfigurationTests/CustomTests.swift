// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@testable import Configuration

@Suite("Custom parameters")
struct CustomTests {
    /// A valid custom parameter, in lines 5 to 8.
    private static let charge = """
        [custom.hv_charge]
        request = "22 01 01"
        header = "7E4"
        formula = "E/2"

        """

    @Test("Every key of a table is read")
    func whole() throws {
        let text = """
            [custom.tyre]
            title = "Front left tyre"
            request = "2130"
            header = "750"
            receive = "758"
            extended_address = "2A"
            tester_address = "2a"
            flow_control = true
            timeout = 0.5
            formula = "A * 2.5"
            unit = "kPa"
            min = 1
            max = 600.5
            labels = { }
            interval = 60
            """
        let configuration = try configuration(shortest + text)
        let parameter = try #require(configuration.custom.first)
        #expect(parameter.name == "tyre" && parameter.title == "Front left tyre")
        #expect(parameter.request?.payload == [0x21, 0x30])
        let destination = try #require(parameter.request?.destination)
        #expect(destination.header == .can11(0x750) && destination.responder == .can11(0x758))
        #expect(destination.extendedAddress == 0x2A && destination.testerAddress == 0x2A)
        #expect(destination.setsFlowControl && destination.timeout == .milliseconds(500))
        #expect(parameter.field.unit == .kilopascal)
        #expect(parameter.decode([0x61, 0x30, 4])?.value == .number(10))
        #expect(parameter.decode([0x61, 0x30, 0])?.value == nil)
        #expect(configuration.parameters.contains(.init(key: .custom("tyre"), interval: .seconds(60))))
    }

    @Test("Without tester_address the byte is the request's, and the tester's under a header that ends in F1")
    func testerAddresses() throws {
        let text = "formula = \"A\"\nrequest = \"2130\"\n"
        let custom = try configuration(
            shortest + "[custom.bmw]\nheader = \"6F1\"\nextended_address = \"12\"\n" + text
                + "[custom.toyota]\nheader = \"750\"\nextended_address = \"2A\"\n" + text
        ).custom
        #expect(custom.map(\.request?.destination?.testerAddress) == [0xF1, 0x2A])
        #expect(custom.map(\.request?.destination?.responder) == [.can11(0x612), .can11(0x758)])
    }

    @Test("A custom parameter is polled if it is selected or has an interval; the interval of the selection wins")
    func selection() throws {
        let none = try configuration(shortest + Self.charge)
        #expect(none.parameters == Configuration.defaultParameters && none.custom.count == 1)
        let own = try configuration(shortest + Self.charge + "interval = 5\n")
        #expect(
            own.parameters == Configuration.defaultParameters + [
                .init(key: .custom("hv_charge"), interval: .seconds(5))
            ]
        )
        let chosen = try configuration(
            shortest + Self.charge + "interval = 5\n[parameters]\nhv_charge = 1\nengine_speed = 2\n"
        )
        #expect(
            chosen.parameters == [
                .init(key: 0x0C, interval: .seconds(2)), .init(key: .custom("hv_charge"), interval: .seconds(1)),
            ]
        )
    }

    @Test(
        "A service that may change the vehicle is refused, with file and line",
        arguments: [0x03, 0x04, 0x07, 0x08, 0x10, 0x11, 0x14, 0x27, 0x28, 0x2E, 0x2F, 0x31, 0x34, 0x36, 0x3E, 0x85]
    )
    func writing(service: UInt8) {
        let digits = String(service, radix: 16, uppercase: true)
        let hex = digits.count == 1 ? "0" + digits : digits
        let text = "[custom.x]\nformula = \"A\"\nrequest = \"\(hex)\"\n"
        let message =
            "7: [custom] x.request: service \(hex) cannot be polled: it may change the vehicle. "
            + "Try: a service that only reads, one of 01, 02, 05, 06, 09, 0A, 19, 21 and 22"
        #expect(problems(shortest + text) == "agent.toml:" + message)
        let named = shortest + "[parameters]\nsets = [\"/set.toml\"]\n"
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(toml: Array(named.utf8), file: "agent.toml") { path in
                [SourceFile(name: path, bytes: Array(("\n\n" + text).utf8))]
            }
        }
        #expect(error?.description == "/set.toml:5" + message.dropFirst())
    }

    @Test(
        "Every problem names its place and its remedy",
        arguments: [
            ("[custom]\nx = 1", "6: [custom] x: expected a table [custom.x], found the number 1"),
            (
                "[custom]\n\"x\\ny\" = 1",
                "6: [custom] \"x\\ny\": expected a table [custom.\"x\\ny\"], found the number 1"
            ),
            (
                "[custom.Hv]\n",
                "5: [custom] Hv: a name has 1 to 64 characters of a-z, 0-9 and _, and starts with a letter"
            ),
            (
                "[custom.engine_speed]\n",
                "5: [custom] engine_speed: a built-in parameter has this name. Try: another name"
            ),
            (
                "[custom.x]\nformula = \"A\"",
                "5: [custom] x: request is missing. Try: service and data, such as request = \"22F190\", or "
                    + "frame = \"1A0\" for what is on a CAN bus anyway"
            ),
            (
                "[custom.x]\nrequest = \"22F190\"",
                "5: [custom] x: formula is missing. Try: a formula of the reply's bytes, such as formula = \"A*256+B\""
            ),
            (
                "[custom.x]\nformula = \"A\"\nrequest = \"22F19\"",
                "7: [custom] x.request: expected hexadecimal bytes such as \"22F190\""
            ),
            (
                "[custom.x]\nformula = \"A\"\nrequest = \"22F1\"",
                "7: [custom] x.request: expected a request of 3 bytes for service 22, found 2"
            ),
            (
                "[custom.x]\nformula = \"A\"\nrequest = 22",
                "7: [custom] x.request: expected a text in quotes, found the number 22"
            ),
            (
                "[custom.x]\nrequest = \"2101\"\nformula = \"A+\"",
                "7: [custom] x.formula: column 3: expected a number, a byte such as A, or a bracket"
            ),
            (
                "[custom.x]\nrequest = \"2101\"\nformula = \"A\"\nheadr = \"7E0\"",
                "8: [custom] x.headr: unknown key; did you mean header?"
            ),
            (
                "[custom.x]\nrequest = \"2101\"\nformula = \"A\"\nheader = \"7G0\"",
                "8: [custom] x.header: expected 3 hexadecimal digits (CAN, 11 bits), 8 (CAN, 29 bits) or 6 (the older buses)"
            ),
            (
                "[custom.x]\nrequest = \"2101\"\nformula = \"A\"\nheader = \"17FC0076\"",
                "8: [custom] x.header: the reply address for this header is not known. Try: set receive"
            ),
            (
                "[custom.x]\nrequest = \"2101\"\nformula = \"A\"\nheader = \"7E0\"\nreceive = \"18DAF110\"",
                "9: [custom] x.receive: must have as many digits as header"
            ),
            (
                "[custom.x]\nrequest = \"2101\"\nformula = \"A\"\nreceive = \"7E8\"",
                "8: [custom] x.receive: has no effect without the header of one ECU"
            ),
            (
                "[custom.x]\nrequest = \"2101\"\nformula = \"A\"\nheader = \"7DF\"\nflow_control = true",
                "9: [custom] x.flow_control: has no effect without the header of one ECU"
            ),
            (
                "[custom.x]\nrequest = \"2101\"\nformula = \"A\"\nheader = \"7E0\"\ntester_address = \"2A\"",
                "9: [custom] x.tester_address: has no effect without extended_address"
            ),
            (
                "[custom.x]\nrequest = \"2101\"\nformula = \"A\"\nmin = 5\nmax = 5",
                "9: [custom] x.max: must be greater than min"
            ),
            (
                "[custom.x]\nrequest = \"2101\"\nformula = \"A\"\nlabels = { a = \"b\" }",
                "8: [custom] x.labels: expected integers with texts of at most 64 bytes, such as { 0 = \"off\" }"
            ),
            (
                "[custom.x]\nrequest = \"2101\"\nformula = \"A\"\ninterval = 0.01",
                "8: [custom] x.interval: 0.01 s is out of range. Try: 0.05 to 86400"
            ),
            (
                "[parameters]\nsets = [\n  \"a.toml\"]",
                "7: [parameters] sets: expected absolute paths in quotes, found the text \"a.toml\""
            ),
            (
                "[parameters]\nsets = [\"/nowhere/a.toml\"]",
                "6: [parameters] sets: /nowhere/a.toml cannot be read: No such file or directory"
            ),
            (
                "[parameters]\ncatalog = 1",
                "6: [parameters] catalog: expected an absolute path in quotes, or a list of them, found the number 1"
            ),
            (
                "[parameters]\ncatalog = \"sets\"",
                "6: [parameters] catalog: expected an absolute path in quotes, or a list of them, found the text "
                    + "\"sets\""
            ),
            (
                "[parameters]\ncatalog = [\"/sets\",\n  \"a.tar\"]",
                "7: [parameters] catalog: expected absolute paths in quotes, found the text \"a.tar\""
            ),
            (
                "[custom.catalog]\n",
                "5: [custom] catalog: [parameters] has a key with this name. Try: another name"
            ),
            (
                "[parameters]\nhv_charg = 1\n" + charge,
                "6: [parameters] hv_charg: unknown parameter; did you mean hv_charge?"
            ),
        ]
    )
    func problemText(text: String, expected: String) {
        #expect(problems(shortest + text) == "agent.toml:" + expected)
    }

    @Test("The catalog is one path or several, and without any the folder of the package")
    func catalog() throws {
        #expect(try configuration(shortest).catalog == ["/usr/share/obd-signals"])
        #expect(try configuration(shortest + "[parameters]\ncatalog = \"/sets.tar.gz\"\n").catalog == ["/sets.tar.gz"])
        #expect(try configuration(shortest + "[parameters]\ncatalog = [\"/a\", \"/b\"]\n").catalog == ["/a", "/b"])
        #expect(try configuration(shortest + "[parameters]\ncatalog = []\n").catalog == [])
        // The key is no selection of parameters.
        let chosen = try configuration(shortest + "[parameters]\ncatalog = \"/a\"\n")
        #expect(chosen.parameters == Configuration.defaultParameters)
    }

    @Test("A role gives the value its meaning, and two parameters may have the same")
    func roles() throws {
        let text = """
            [custom.front]
            request = "2101"
            formula = "A/2"
            unit = "%"
            role = "state_of_charge"
            [custom.rear]
            request = "2102"
            formula = "A/2"
            unit = "%"
            role = "state_of_charge"
            [custom.state]
            request = "2101"
            formula = "B"
            labels = { 0 = "idle", 5 = "charging" }
            role = "charging"
            true_values = [5]
            """
        let custom = try configuration(shortest + text).custom
        #expect(custom.map(\.role) == [.stateOfCharge, .stateOfCharge, .charging])
        #expect(custom.map(\.field.trueValues) == [nil, nil, [5]])
    }

    @Test(
        "A role that is unknown or does not fit is refused, with the remedy",
        arguments: [
            (
                "role = \"state_of_chagre\"",
                "role: \"state_of_chagre\" is not one of \(ParameterRole.allCases.map(\.rawValue).joined(separator: ", "))"
                    + "; did you mean state_of_charge?"
            ),
            ("role = 1", "role: expected a text in quotes, found the number 1"),
            (
                "role = \"charger_power\"\nunit = \"kWh\"",
                "unit: \"kWh\" does not fit the role charger_power. Try: \"kW\" or \"W\""
            ),
            ("role = \"state_of_charge\"", "role: the role state_of_charge needs a unit. Try: unit = \"%\""),
            ("role = \"ready\"\nunit = \"%\"", "unit: the role ready is true or false. Try: remove unit"),
            (
                "role = \"range\"\nunit = \"km\"\nlabels = { 0 = \"none\" }",
                "labels: the role range is a number. Try: remove labels"
            ),
            (
                "true_values = [1]",
                "true_values: has no effect without a role that is true or false. "
                    + "Try: role = \"ready\", \"charging\" or \"plugged_in\""
            ),
            (
                "role = \"ready\"\ntrue_values = []",
                "true_values: expected a list of 1 to 256 integers, found a list"
            ),
            (
                "role = \"ready\"\ntrue_values = [\"a\"]",
                "true_values: expected an integer, found the text \"a\""
            ),
        ]
    )
    func wrongRoles(keys: String, expected: String) throws {
        let text = shortest + "[custom.x]\nrequest = \"2101\"\nformula = \"A\"\n" + keys
        let found = problems(text)
        // The line is that of the key.
        let key = expected.prefix { $0 != ":" }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let line = try #require(lines.firstIndex { $0.hasPrefix(key) })
        #expect(found == "agent.toml:\(line + 1): [custom] x.\(expected)")
    }

    /// A parameter whose header is no diagnostic address, in lines 1 to 5.
    private static let foreign =
        "[custom.x]\nrequest = \"2101\"\nformula = \"A\"\nheader = \"0C1\"\nreceive = \"0C9\"\n"
    private static let switched = "[adapter]\nnon_diagnostic_headers = true\n[mqtt]\nurl = \"mqtt://localhost\"\n"

    @Test("A header outside of the diagnostic addresses is refused, also in a set, unless the main file allows it")
    func foreignHeaders() throws {
        let advice = "0C1 is no diagnostic address, so ECUs may mistake the request for another kind of message. Try: "
        #expect(problems(shortest + Self.foreign).hasPrefix("agent.toml:8: [custom] x.header: \(advice)"))
        #expect(try configuration(Self.switched + Self.foreign).custom.count == 1)

        func read(_ main: String) throws(ConfigurationError) -> Configuration {
            try Configuration(toml: Array(main.utf8), file: "agent.toml") {
                [SourceFile(name: $0, bytes: Array(Self.foreign.utf8))]
            }
        }
        let named = "[parameters]\nsets = [\"/set.toml\"]\n"
        let error = #expect(throws: ConfigurationError.self) { try read(shortest + named) }
        #expect(error?.description.hasPrefix("/set.toml:4: [custom] x.header: \(advice)") == true)
        #expect(try read(Self.switched + named).custom.map(\.name) == ["x"])
    }

    @Test("Neither a set nor a file in agent.toml.d can allow headers outside of the diagnostic addresses")
    func foreignSwitch() {
        let overlay = SourceFile(name: "/d/1.toml", bytes: Array((Self.switched + Self.foreign).utf8))
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(toml: Array(shortest.utf8), file: "agent.toml", overlays: [overlay])
        }
        #expect(
            error?.description.hasPrefix(
                "/d/1.toml:2: [adapter] non_diagnostic_headers: is allowed only in the main file. Try: set it in agent.toml"
            ) == true
        )
        let named = shortest + "[parameters]\nsets = [\"/set.toml\"]\n"
        let second = #expect(throws: ConfigurationError.self) {
            try Configuration(toml: Array(named.utf8), file: "agent.toml") {
                [SourceFile(name: $0, bytes: Array((Self.switched + Self.foreign).utf8))]
            }
        }
        #expect(
            second?.description.hasPrefix("/set.toml:1: [adapter]: a set may contain only tables [custom.NAME]") == true
        )
    }

    @Test("Sets add their parameters; a repeated name and other tables in a set are refused")
    func sets() throws {
        let text = shortest + "[parameters]\nsets = [\"/a\", \"/b.toml\"]\nhv_charge = 1\n"
        let files = [
            "/a": [
                SourceFile(name: "/a/1.toml", bytes: Array(Self.charge.utf8)),
                SourceFile(name: "/a/2.toml", bytes: Array("[custom.y]\nrequest = \"2101\"\nformula = \"A\"".utf8)),
            ],
            "/b.toml": [SourceFile(name: "/b.toml", bytes: [])],
        ]
        let configuration = try Configuration(toml: Array(text.utf8), file: "agent.toml") { files[$0] ?? [] }
        #expect(configuration.custom.map(\.name) == ["hv_charge", "y"])
        #expect(configuration.parameters == [.init(key: .custom("hv_charge"), interval: .seconds(1))])

        let wrong = files.merging([
            "/b.toml": [SourceFile(name: "/b.toml", bytes: Array(("[mqtt]\nurl = \"x\"\n" + Self.charge).utf8))]
        ]) { $1 }
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(toml: Array(text.utf8), file: "agent.toml") { wrong[$0] ?? [] }
        }
        #expect(error?.description == "/b.toml:1: [mqtt]: a set may contain only tables [custom.NAME]")

        let twice = files.merging(["/b.toml": [SourceFile(name: "/b.toml", bytes: Array(Self.charge.utf8))]]) { $1 }
        let second = #expect(throws: ConfigurationError.self) {
            try Configuration(toml: Array(text.utf8), file: "agent.toml") { twice[$0] ?? [] }
        }
        #expect(
            second?.description
                == "/b.toml:1: [custom] hv_charge: already set in /a/1.toml on line 1. Try: keep one of the two"
        )
    }
}
