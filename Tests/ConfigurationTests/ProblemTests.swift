// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

/// A text and what is said about it, without the file's name in front.
struct Complaint: CustomTestStringConvertible, Sendable {
    let text: String
    let said: [String]

    /// What follows the shortest file, from line 5 on, in `[mqtt]`.
    init(_ rest: String, _ said: String...) {
        self.init(whole: shortest + rest, said)
    }

    /// What stands in `[adapter]`, from line 2 on.
    init(adapter text: String, _ said: String...) {
        self.init(whole: "[adapter]\n\(text)\n[mqtt]\nurl = \"mqtts://broker.example\"\n", said)
    }

    init(whole text: String, _ said: [String]) {
        self.text = text
        self.said = said
    }

    var testDescription: String { self.said.joined(separator: " | ") }
}

@Suite struct ProblemTests {
    @Test("Every problem names its place and what to do", arguments: keys + types + values + selections + syntax)
    func complaint(_ complaint: Complaint) {
        #expect(problems(complaint.text) == complaint.said.map { "agent.toml:\($0)" }.joined(separator: "\n"))
    }

    static let keys = [
        Complaint("usernme = \"a\"", "5: [mqtt] usernme: unknown key; did you mean username?"),
        Complaint("address = \"a\"", "5: [mqtt] address: unknown key; did you mean [adapter] address?"),
        Complaint("colour = 1", "5: [mqtt] colour: unknown key"),
        Complaint("\"a\\nb\" = 1", "5: [mqtt] \"a\\nb\": unknown key"),
        Complaint("[vehicel]\nname = \"a\"", "5: vehicel: unknown table; did you mean [vehicle]?"),
        Complaint("[telemetry]", "5: telemetry: unknown table"),
        Complaint("[[clock]]", "5: [clock]: expected a table, found a list"),
        Complaint(whole: "units = 1\n" + shortest, ["1: units: unknown key; did you mean [mqtt] units?"]),
        Complaint(
            whole: "[adapter]\n# nothing\n\n[mqtt]\nurl = []\n",
            ["5: [mqtt] url: missing; set it, as in url = \"mqtts://broker.example:8883\""]
        ),
        Complaint(
            whole: "",
            ["1: [mqtt] url: missing; set it, as in url = \"mqtts://broker.example:8883\""]
        ),
    ]

    static let types = [
        Complaint("username = 5", "5: [mqtt] username: expected a text in quotes, found the number 5"),
        Complaint(
            "username = 0x7FFFFFFFFFFFFFFF",
            "5: [mqtt] username: expected a text in quotes, found the number 9223372036854775807"
        ),
        Complaint("username = 1979-05-27", "5: [mqtt] username: expected a text in quotes, found a date or time"),
        Complaint("username = 07:32:00", "5: [mqtt] username: expected a text in quotes, found a date or time"),
        Complaint(
            "username = 1979-05-27 07:32:00Z",
            "5: [mqtt] username: expected a text in quotes, found a date or time"
        ),
        Complaint("username = [[1], [\"a\", {}]]", "5: [mqtt] username: expected a text in quotes, found a list"),
        Complaint("username = { a = 1 }", "5: [mqtt] username: expected a text in quotes, found a table"),
        Complaint(
            "allow_plaintext = \"yes\"",
            "5: [mqtt] allow_plaintext: expected true or false, found the text \"yes\""
        ),
        Complaint(
            "[uplink]\nbatch_seconds = \"fast\"",
            "6: [uplink] batch_seconds: expected a number of seconds, found the text \"fast\""
        ),
        Complaint(
            "[uplink]\nbatch_seconds = true",
            "6: [uplink] batch_seconds: expected a number of seconds, found true"
        ),
        Complaint(
            "[uplink]\ndaily_budget_mib = \"5\"",
            "6: [uplink] daily_budget_mib: expected a number of MiB, found the text \"5\""
        ),
        Complaint(
            "[commands]\nallow = \"describe\"",
            "6: [commands] allow: expected a list of texts, found the text \"describe\""
        ),
        Complaint(
            "[commands]\nallow = [  # all\n  \"describe\",\n\n  5, true\n]",
            "9: [commands] allow: expected a text in quotes, found the number 5",
            "9: [commands] allow: expected a text in quotes, found true"
        ),
        Complaint(whole: "clock = 5\n" + shortest, ["1: [clock]: expected a table, found the number 5"]),
    ]

    static let values = [
        Complaint(
            "units = \"metrc\"",
            "5: [mqtt] units: \"metrc\" is not one of metric, imperial; did you mean metric?"
        ),
        Complaint("[clock]\ntrust = \"gps\"", "6: [clock] trust: \"gps\" is not one of kernel, system"),
        Complaint(
            "[commands]\nallow = [\n  \"describe\",\n  \"clear_code\",\n]",
            "8: [commands] allow: \"clear_code\" is not one of describe, read_codes, read_parameters, read_monitors, "
                + "read_vehicle, select_parameters, boost, record_finding, clear_codes, run_test, raw_request, wake; did you mean clear_codes?"
        ),
        Complaint(
            "[commands]\nraw_writing = true\nengine_override = true",
            "6: [commands] raw_writing: has no effect where allow does not name raw_request",
            "7: [commands] engine_override: has no effect where allow does not name clear_codes",
            "7: [commands] engine_override: has no effect without trusted_keys: who overrides must sign"
        ),
        Complaint(
            "[uplink]\nlive = \"on_demand\"",
            "6: [uplink] live: \"on_demand\" is not one of always, on-demand, off; did you mean on-demand?"
        ),
        Complaint(
            "[uplink]\ndaily_budget_mib = 0.01",
            "6: [uplink] daily_budget_mib: 0.01 MiB is out of range; use 0 for none, or 0.1 to 1048576"
        ),
        Complaint(
            "[uplink]\ndaily_budget_mib = nan",
            "6: [uplink] daily_budget_mib: nan MiB is out of range; use 0 for none, or 0.1 to 1048576"
        ),
        Complaint(
            "[uplink]\ndaily_budget_mib = -9223372036854775808",
            "6: [uplink] daily_budget_mib: -9223372036854775808 MiB is out of range; use 0 for none, or 0.1 to 1048576"
        ),
        Complaint("[store]\nlimit_mib = 0", "6: [store] limit_mib: 0 MiB is out of range; use 1 to 65536"),
        Complaint("[uplink]\nbatch_seconds = 0.5", "6: [uplink] batch_seconds: 0.5 s is out of range; use 1 to 3600"),
        Complaint("[uplink]\nbatch_seconds = nan", "6: [uplink] batch_seconds: nan s is out of range; use 1 to 3600"),
        Complaint("[uplink]\nbatch_seconds = -inf", "6: [uplink] batch_seconds: -inf s is out of range; use 1 to 3600"),
        Complaint(
            "[uplink]\nbatch_seconds = 9223372036854775807",
            "6: [uplink] batch_seconds: 9.223372036854776e+18 s is out of range; use 1 to 3600"
        ),
        Complaint("password_file = \"/a\"", "5: [mqtt] password_file: has no effect without username"),
        Complaint(
            "username = \"a\"\npassword_file = \"s3cret\"",
            "6: [mqtt] password_file: expected the absolute path of a file, beginning with /, or credential:NAME"
        ),
        Complaint("certificate_file = \"/a\"", "5: [mqtt] certificate_file: has no effect without key_file"),
        Complaint("key_file = \"/a\"", "5: [mqtt] key_file: has no effect without certificate_file"),
        Complaint(
            whole: shortest.replacing("mqtts://broker.example", with: "mqtt://[::1]") + "ca_file = \"/a\"",
            ["5: [mqtt] ca_file: has no effect without an mqtts:// URL"]
        ),
        Complaint(
            whole: shortest.replacing("\"mqtts://broker.example\"", with: "[\n\"mqtts://a\",\n\"mqtt://b.example\"]"),
            [
                "6: [mqtt] url: mqtt://b.example:1883 would send everything unencrypted, the password too, over a public network; use mqtts://, or set allow_plaintext = true"
            ]
        ),
        Complaint(
            whole: shortest.replacing("broker.example", with: "me:s3cret@broker.example"),
            ["4: [mqtt] url: a URL must not hold credentials; set username and password_file instead"]
        ),
        Complaint(
            whole: shortest.replacing("tcp:192", with: "tpc:192"),
            [
                "2: [adapter] address: \"tpc:192.168.0.10:35000\" is no adapter address; write ble, ble:AA:BB:CC:DD:EE:FF, "
                    + "rfcomm:AA:BB:CC:DD:EE:FF, tcp:HOST:PORT or serial:/dev/ttyUSB0; did you mean tcp?"
            ]
        ),
        Complaint(
            adapter: "address = \"bel:AA:BB:CC:DD:EE:FF\"",
            "2: [adapter] address: \"bel:AA:BB:CC:DD:EE:FF\" is no adapter address; write ble, ble:AA:BB:CC:DD:EE:FF, "
                + "rfcomm:AA:BB:CC:DD:EE:FF, tcp:HOST:PORT or serial:/dev/ttyUSB0; did you mean ble?"
        ),
        Complaint(
            adapter: "address = \"ble:OBDII\"",
            "2: [adapter] address: \"OBDII\" is no Bluetooth address; write six pairs of digits as obd-agent scan "
                + "shows them"
        ),
        Complaint(adapter: "pin = 123456", "2: [adapter] pin: expected a PIN of up to six digits in quotes"),
        Complaint(adapter: "pin = \"1234567\"", "2: [adapter] pin: expected a PIN of up to six digits in quotes"),
        Complaint(adapter: "pin = \"12 34\"", "2: [adapter] pin: expected a PIN of up to six digits in quotes"),
        Complaint(adapter: "pin = \"\u{FF11}\"", "2: [adapter] pin: expected a PIN of up to six digits in quotes"),
        Complaint(
            adapter: "notify_uuid = \"FFF\"",
            "2: [adapter] notify_uuid: \"FFF\" is no Bluetooth UUID; write 4 or 32 hexadecimal digits"
        ),
        Complaint(
            adapter: "write_uuid = \"0000ffe1-0000-1000-8000-00805f9b34fg\"",
            "2: [adapter] write_uuid: \"0000ffe1-0000-1000-8000-00805f9b34fg\" is no Bluetooth UUID; write 4 or 32 "
                + "hexadecimal digits"
        ),
        Complaint(
            adapter: "write_uuid = 0xFFE1",
            "2: [adapter] write_uuid: expected a text in quotes, found the number 65505"
        ),
        Complaint(
            adapter: "address = \"tcp:192.168.0.10:35000\"\npin = \"1234\"\nnotify_uuid = \"FFE1\"\nwrite_uuid = \"FFE1\"",
            "3: [adapter] pin: has no effect without a ble address",
            "4: [adapter] notify_uuid: has no effect without a ble address",
            "5: [adapter] write_uuid: has no effect without a ble address"
        ),
        Complaint(
            adapter: "address = \"rfcomm:AA:BB:CC:DD:EE:FF\"\npin = \"1234\"",
            "3: [adapter] pin: has no effect without a ble address"
        ),
        Complaint(
            "topic_prefix = \"a//b\"",
            "5: [mqtt] topic_prefix: \"a//b\" cannot be part of a topic; no +, #, NUL, $ at the start or empty level, at most 128 bytes"
        ),
        Complaint(
            "[vehicle]\nname = \"van/12\"",
            "6: [vehicle] name: \"van/12\" cannot be part of a topic; no /, +, #, NUL or $ at the start, at most 128 bytes"
        ),
    ]

    static let selections = [
        Complaint(
            "[parameters]\nengine_sped = 1",
            "6: [parameters] engine_sped: unknown parameter; did you mean engine_speed?"
        ),
        Complaint(
            "[parameters]\nflux = 1",
            "6: [parameters] flux: unknown parameter; write a name such as engine_speed, or service and PID as in 010C"
        ),
        Complaint(
            "[parameters]\nengine_speed = \"fast\"",
            "6: [parameters] engine_speed: expected a number of seconds, found the text \"fast\""
        ),
        Complaint(
            "[parameters]\nengine_speed = 0.01",
            "6: [parameters] engine_speed: 0.01 s is out of range; use 0.05 to 86400"
        ),
        Complaint(
            "[parameters]\nengine_speed = 86401",
            "6: [parameters] engine_speed: 86401 s is out of range; use 0.05 to 86400"
        ),
        Complaint(
            "[parameters]\nengine_speed = 1\n010C = 1",
            "7: [parameters] 010C: the same parameter as engine_speed on line 6; keep one"
        ),
        Complaint(
            "[parameters]\n010C = 1\nengine_speed = 1",
            "7: [parameters] engine_speed: the same parameter as 010C on line 6; keep one"
        ),
        Complaint(
            "[parameters]\no2_sensor_b1s1_voltage = 1\no2_sensor_b1s1_trim = 2",
            "7: [parameters] o2_sensor_b1s1_trim: read together with o2_sensor_b1s1_voltage on line 6; give both the same interval"
        ),
        Complaint(
            "[parameters]\nengine.speed = 1",
            "6: [parameters] engine: unknown parameter; write a name such as engine_speed, or service and PID as in 010C"
        ),
    ]

    static let syntax = [
        Complaint("[.clock]", "5: column 2: expected the name of a table after [, found ."),
        Complaint("[[[clock]]", "5: column 3: expected the name of a table after [, found ["),
        Complaint(
            "[clock\ntrust = \"system\"",
            "5: [clock]: column 7: expected ] after the name of the table, found the end of the line"
        ),
        Complaint(
            "[commands]\nallow = [\"clear_codes\", \"run_test\"]",
            "6: [commands] allow: nobody may ask for clear_codes: set trusted_keys, or unsigned_role = \"specialist\" on "
                + "a broker of your own",
            "6: [commands] allow: nobody may ask for run_test, which must be signed: set trusted_keys"
        ),
        Complaint(
            "[commands]\nunsigned_role = \"none\"",
            "6: [commands] unsigned_role: nobody may command: set trusted_keys, or allow = []"
        ),
        Complaint(
            "[commands]\nunsigned_role = \"engineer\"",
            "6: [commands] unsigned_role: \"engineer\" is not one of none, observer, specialist"
        ),
        Complaint("[commands]\nallow = [}", "6: [commands] allow: column 10: expected a value, found }"),
        Complaint(
            "[commands]\nallow = [1, [\n\u{B}]]",
            "7: [commands] allow: column 1: the control character U+000B; remove it"
        ),
        Complaint(
            "[commands]\nallow = [\n  \"describe\"\n  \"read_codes\"\n]",
            "8: [commands] allow: column 3: expected a comma or ] in the list of line 6, found \""
        ),
        Complaint(
            "username = van",
            "5: [mqtt] username: column 12: van is no number, date, true or false; put a text in quotes"
        ),
        Complaint(
            "ca_file = /etc/ca.pem",
            "5: [mqtt] ca_file: column 11: /etc/ca.pem is no number, date, true or false; put a text in quotes"
        ),
        Complaint(
            "username = \u{201C}van\u{201D}",
            "5: [mqtt] username: column 12: curly quotes; write straight ones: \""
        ),
        Complaint(
            "allow_plaintext = True",
            "5: [mqtt] allow_plaintext: column 19: True has to be written in small letters: true"
        ),
        Complaint(
            "username = # nobody",
            "5: [mqtt] username: column 12: expected a value, found #; a text without content is \"\""
        ),
        Complaint("username: van", "5: [mqtt] username: column 9: expected = after the key, found :"),
        Complaint("username \"a\"", "5: [mqtt] username: column 10: expected = after the key, found \""),
        Complaint(
            "username = \"a",
            "5: [mqtt] username: column 12: the text does not end on its line; close it with \""
        ),
        Complaint(
            "username = \"C:\\dir\"",
            "5: [mqtt] username: column 15: \\d means nothing; write \\\\ for a backslash"
        ),
        Complaint(
            "username = \"a\" // me",
            "5: [mqtt] username: column 16: expected the end of the line, found /; begin a comment with #"
        ),
        Complaint(
            "büro = 1",
            "5: [mqtt] b: column 2: expected = after the key, found \"ü\"; put a key in quotes that is not made of A-Z, "
                + "a-z, 0-9, _ and -"
        ),
        Complaint(
            "[uplink]\nbatch_seconds = 99999999999999999999",
            "6: [uplink] batch_seconds: column 17: 99999999999999999999 does not fit into 64 bits"
        ),
        Complaint(
            "username = 007",
            "5: [mqtt] username: column 12: 007 begins with 0, as no number may; put a text in quotes"
        ),
        // A secret is not repeated.
        Complaint(adapter: "pin = 0123", "2: [adapter] pin: expected a PIN of up to six digits in quotes"),
        Complaint(
            "[custom]\nx = { request = \"22F190\",\n  formula = \"A\" }",
            "6: [custom] x: column 26: a table in braces has to end on its line; give it a [header] and lines of its own"
        ),
        Complaint("url = \"mqtts://b\"", "5: [mqtt] url: set before, on line 4; keep one of the two"),
        Complaint("\n[mqtt]", "6: [mqtt]: set before, on line 3; keep one of the two"),
        Complaint("\n[[mqtt]]", "6: [mqtt]: set before, on line 3; keep one of the two"),
        Complaint("url.host = \"b\"", "5: [mqtt] url.host: url is no table, see line 4"),
        Complaint(
            "username = 1979-05-27Tg",
            "5: [mqtt] username: column 12: 1979-05-27Tg is no number, date, true or false; put a text in quotes"
        ),
        Complaint(
            "username = 1979-02-29 12:00:00",
            "5: [mqtt] username: column 12: 1979-02-29 is no number, date, true or false; put a text in quotes"
        ),
        Complaint(
            "username = \"a\\u0000b\"",
            "5: [mqtt] username: holds the control character U+0000, which brokers refuse. Try: remove it"
        ),
        Complaint(
            "[commands]\nallow = [\n  \"describe\",\n  [ { a = \"\\u0000\" } ]\n]",
            "8: [commands] allow.a: holds the control character U+0000, which brokers refuse. Try: remove it",
            "8: [commands] allow: expected a text in quotes, found a list"
        ),
        Complaint("username = \"a\u{0}b\"", "5: [mqtt] username: column 14: a NUL character; remove it"),
        Complaint(
            "username = " + String(repeating: "[", count: 100),
            "5: [mqtt] username: nested more than 64 levels deep; two are enough"
        ),
        Complaint(
            String(repeating: "a.", count: 200_000) + "a = 1\n?",
            "5: [mqtt] a.a.a: nested more than 64 levels deep; two are enough"
        ),
    ]

    @Test("All problems are found at once, in the order of the lines")
    func allAtOnce() {
        let text = """
            [vehicle]
            name = 5
            [adapter]
            address = "ble:AA"
            [parameters]
            engine_speed = 0
            [mqtt]
            user = "a"
            """
        #expect(
            problems(text) == """
                agent.toml:2: [vehicle] name: expected a text in quotes, found the number 5
                agent.toml:4: [adapter] address: "AA" is no Bluetooth address; write six pairs of digits as obd-agent scan shows them
                agent.toml:6: [parameters] engine_speed: 0 s is out of range; use 0.05 to 86400
                agent.toml:7: [mqtt] url: missing; set it, as in url = "mqtts://broker.example:8883"
                agent.toml:8: [mqtt] user: unknown key
                """
        )
    }

    @Test("A hundred problems are enough")
    func manyProblems() throws {
        let keys = (1...1000).map { "key_\($0) = 1\n" }.joined()
        let error = try #require(throws: ConfigurationError.self) { try configuration(shortest + keys) }
        #expect(error.problems.count == 101)
        #expect(error.problems.first?.key == "[mqtt] key_1")
        #expect(error.problems.last?.description == "agent.toml: and 900 more problems")
    }
}
