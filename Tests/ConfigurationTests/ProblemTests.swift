// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

/// A text and its expected problems, without the file's name at the start of each.
struct Complaint: CustomTestStringConvertible, Sendable {
    let text: String
    let expected: [String]

    /// Appends `rest` to the shortest file; `rest` starts in line 5, in `[mqtt]`.
    init(_ rest: String, _ expected: String...) {
        self.init(whole: shortest + rest, expected)
    }

    /// Makes a file with `text` in `[adapter]`, from line 2 on.
    init(adapter text: String, _ expected: String...) {
        self.init(whole: "[adapter]\n\(text)\n[mqtt]\nurl = \"mqtts://broker.example\"\n", expected)
    }

    init(whole text: String, _ expected: [String]) {
        self.text = text
        self.expected = expected
    }

    var testDescription: String { self.expected.joined(separator: " | ") }
}

@Suite struct ProblemTests {
    @Test("Every problem names its place and what to do", arguments: keys + types + values + selections + syntax)
    func complaint(_ complaint: Complaint) {
        #expect(problems(complaint.text) == complaint.expected.map { "agent.toml:\($0)" }.joined(separator: "\n"))
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
            whole: "[mqtt]\nurl = []\nusername = \"a\"\nca_file = \"/ca.pem\"\n",
            [
                "3: [mqtt] username: has no effect without url. Try: url = \"mqtts://broker.example:8883\"",
                "4: [mqtt] ca_file: has no effect without url. Try: url = \"mqtts://broker.example:8883\"",
            ]
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
        Complaint("[clock]\ntrust = \"ntp\"", "6: [clock] trust: \"ntp\" is not one of kernel, system, gps"),
        Complaint(
            "[commands]\nallow = [\n  \"describe\",\n  \"clear_code\",\n]",
            "8: [commands] allow: \"clear_code\" is not one of describe, read_codes, read_parameters, read_monitors, "
                + "read_vehicle, select_parameters, boost, record_finding, capture, resend, clear_codes, run_test, "
                + "raw_request, wake, detect_parameters; did you mean clear_codes?"
        ),
        Complaint(
            "[commands]\nraw_writing = true\nengine_override = true",
            "6: [commands] raw_writing: has no effect because neither allow nor allow_also has raw_request",
            "7: [commands] engine_override: has no effect because neither allow nor allow_also has clear_codes",
            "7: [commands] engine_override: has no effect without trusted_keys, because an override must be signed"
        ),
        Complaint(
            "[uplink]\nlive = \"on_demand\"",
            "6: [uplink] live: \"on_demand\" is not one of always, on-demand, off; did you mean on-demand?"
        ),
        Complaint(
            "[uplink]\ndaily_budget_mib = 0.01",
            "6: [uplink] daily_budget_mib: 0.01 MiB is out of range. Try: 0 for none, or 0.1 to 1048576"
        ),
        Complaint(
            "[uplink]\ndaily_budget_mib = nan",
            "6: [uplink] daily_budget_mib: nan MiB is out of range. Try: 0 for none, or 0.1 to 1048576"
        ),
        Complaint(
            "[uplink]\ndaily_budget_mib = -9223372036854775808",
            "6: [uplink] daily_budget_mib: -9223372036854775808 MiB is out of range. Try: 0 for none, or 0.1 to 1048576"
        ),
        Complaint("[store]\nlimit_mib = 0", "6: [store] limit_mib: 0 MiB is out of range. Try: 1 to 65536"),
        Complaint("[uplink]\nbatch_seconds = 0.5", "6: [uplink] batch_seconds: 0.5 s is out of range. Try: 1 to 3600"),
        Complaint("[uplink]\nbatch_seconds = nan", "6: [uplink] batch_seconds: nan s is out of range. Try: 1 to 3600"),
        Complaint(
            "[uplink]\nbatch_seconds = -inf",
            "6: [uplink] batch_seconds: -inf s is out of range. Try: 1 to 3600"
        ),
        Complaint(
            "[uplink]\nbatch_seconds = 9223372036854775807",
            "6: [uplink] batch_seconds: 9.223372036854776e+18 s is out of range. Try: 1 to 3600"
        ),
        Complaint("password_file = \"/a\"", "5: [mqtt] password_file: has no effect without username"),
        Complaint(
            "username = \"a\"\npassword_file = \"s3cret\"",
            "6: [mqtt] password_file: expected the absolute path of a file, or credential:NAME"
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
                "6: [mqtt] url: mqtt://b.example:1883 would send everything, including the password, unencrypted over a public network. Try: mqtts://, or allow_plaintext = true in [mqtt] of agent.toml"
            ]
        ),
        Complaint(
            whole: shortest.replacing("broker.example", with: "me:s3cret@broker.example"),
            ["4: [mqtt] url: a URL must not contain credentials. Try: username and password_file"]
        ),
        Complaint(
            whole: shortest.replacing("tcp:192", with: "tpc:192"),
            [
                "2: [adapter] address: \"tpc:192.168.0.10:35000\" is not an adapter address. Try: ble, ble:AA:BB:CC:DD:EE:FF, rfcomm:AA:BB:CC:DD:EE:FF, tcp:HOST:PORT, serial:/dev/ttyUSB0 or can:can0; did you mean tcp?"
            ]
        ),
        Complaint(
            adapter: "address = \"bel:AA:BB:CC:DD:EE:FF\"",
            "2: [adapter] address: \"bel:AA:BB:CC:DD:EE:FF\" is not an adapter address. Try: ble, ble:AA:BB:CC:DD:EE:FF, rfcomm:AA:BB:CC:DD:EE:FF, tcp:HOST:PORT, serial:/dev/ttyUSB0 or can:can0; did you mean ble?"
        ),
        Complaint(
            adapter: "address = \"ble:OBDII\"",
            "2: [adapter] address: \"OBDII\" is not a Bluetooth address. Try: six pairs of digits, as obd-agent scan "
                + "shows them"
        ),
        Complaint(adapter: "pin = 123456", "2: [adapter] pin: expected a PIN of up to six digits in quotes"),
        Complaint(adapter: "pin = \"1234567\"", "2: [adapter] pin: expected a PIN of up to six digits in quotes"),
        Complaint(adapter: "pin = \"12 34\"", "2: [adapter] pin: expected a PIN of up to six digits in quotes"),
        Complaint(adapter: "pin = \"\u{FF11}\"", "2: [adapter] pin: expected a PIN of up to six digits in quotes"),
        Complaint(
            adapter: "notify_uuid = \"FFF\"",
            "2: [adapter] notify_uuid: \"FFF\" is not a Bluetooth UUID. Try: 4 or 32 hexadecimal digits"
        ),
        Complaint(
            adapter: "write_uuid = \"0000ffe1-0000-1000-8000-00805f9b34fg\"",
            "2: [adapter] write_uuid: \"0000ffe1-0000-1000-8000-00805f9b34fg\" is not a Bluetooth UUID. Try: 4 or 32 "
                + "hexadecimal digits"
        ),
        Complaint(
            adapter: "write_uuid = 0xFFE1",
            "2: [adapter] write_uuid: expected a text in quotes, found the number 65505"
        ),
        Complaint(
            adapter:
                "address = \"tcp:192.168.0.10:35000\"\npin = \"1234\"\nnotify_uuid = \"FFE1\"\nwrite_uuid = \"FFE1\"",
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
            "5: [mqtt] topic_prefix: \"a//b\" is not a topic prefix. Try: at most 128 bytes without +, #, NUL and empty levels, and without $ at the start"
        ),
        Complaint(
            "[vehicle]\nname = \"van/12\"",
            "6: [vehicle] name: \"van/12\" is not a topic level. Try: at most 128 bytes without /, +, # and NUL, and without $ at the start"
        ),
    ]

    static let selections = [
        Complaint(
            "[parameters]\nengine_sped = 1",
            "6: [parameters] engine_sped: unknown parameter; did you mean engine_speed?"
        ),
        Complaint(
            "[parameters]\nflux = 1",
            "6: [parameters] flux: unknown parameter. Try: a name such as engine_speed, or service and PID such as 010C"
        ),
        Complaint(
            "[parameters]\nengine_speed = \"fast\"",
            "6: [parameters] engine_speed: expected a number of seconds, found the text \"fast\""
        ),
        Complaint(
            "[parameters]\nengine_speed = 0.01",
            "6: [parameters] engine_speed: 0.01 s is out of range. Try: 0.05 to 86400"
        ),
        Complaint(
            "[parameters]\nengine_speed = 86401",
            "6: [parameters] engine_speed: 86401 s is out of range. Try: 0.05 to 86400"
        ),
        Complaint(
            "[parameters]\nengine_speed = 1\n010C = 1",
            "7: [parameters] 010C: the same parameter as engine_speed on line 6. Try: keep one"
        ),
        Complaint(
            "[parameters]\n010C = 1\nengine_speed = 1",
            "7: [parameters] engine_speed: the same parameter as 010C on line 6. Try: keep one"
        ),
        Complaint(
            "[parameters]\no2_sensor_b1s1_voltage = 1\no2_sensor_b1s1_trim = 2",
            "7: [parameters] o2_sensor_b1s1_trim: read together with o2_sensor_b1s1_voltage on line 6. Try: the same interval for both"
        ),
        Complaint(
            "[parameters]\nengine.speed = 1",
            "6: [parameters] engine: unknown parameter. Try: a name such as engine_speed, or service and PID such as 010C"
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
            "6: [commands] allow: clear_codes is allowed, but no key is trusted and unsigned_role excludes it. Try: set trusted_keys, or unsigned_role = \"specialist\" on a private broker",
            "6: [commands] allow: run_test must be signed, but no key is trusted. Try: set trusted_keys"
        ),
        Complaint(
            "[commands]\nunsigned_role = \"none\"",
            "6: [commands] unsigned_role: commands are allowed, but no key is trusted and unsigned commands are off. Try: set trusted_keys, or allow = []"
        ),
        Complaint(
            "[commands]\nunsigned_role = \"engineer\"",
            "6: [commands] unsigned_role: \"engineer\" is not one of none, observer, specialist"
        ),
        Complaint("[commands]\nallow = [}", "6: [commands] allow: column 10: expected a value, found }"),
        Complaint(
            "[commands]\nallow = [1, [\n\u{B}]]",
            "7: [commands] allow: column 1: the control character U+000B. Try: remove it"
        ),
        Complaint(
            "[commands]\nallow = [\n  \"describe\"\n  \"read_codes\"\n]",
            "8: [commands] allow: column 3: expected a comma or ] in the list of line 6, found \""
        ),
        Complaint(
            "username = van",
            "5: [mqtt] username: column 12: van is not a number, a date, true or false. Try: quotes around a text"
        ),
        Complaint(
            "ca_file = /etc/ca.pem",
            "5: [mqtt] ca_file: column 11: /etc/ca.pem is not a number, a date, true or false. Try: quotes around a text"
        ),
        Complaint(
            "username = \u{201C}van\u{201D}",
            "5: [mqtt] username: column 12: curly quotes. Try: straight quotes (\")"
        ),
        Complaint(
            "allow_plaintext = True",
            "5: [mqtt] allow_plaintext: column 19: True is not a value. Try: true"
        ),
        Complaint(
            "username = # nobody",
            "5: [mqtt] username: column 12: expected a value, found #. Try: \"\" for an empty text"
        ),
        Complaint("username: van", "5: [mqtt] username: column 9: expected = after the key, found :"),
        Complaint("username \"a\"", "5: [mqtt] username: column 10: expected = after the key, found \""),
        Complaint(
            "username = \"a",
            "5: [mqtt] username: column 12: the text is not closed on its line. Try: end it with \""
        ),
        Complaint(
            "username = \"C:\\dir\"",
            "5: [mqtt] username: column 15: \\d is not an escape sequence. Try: \\\\ for a backslash"
        ),
        Complaint(
            "username = \"a\" // me",
            "5: [mqtt] username: column 16: expected the end of the line, found /. Try: start a comment with #"
        ),
        Complaint(
            "büro = 1",
            "5: [mqtt] b: column 2: expected = after the key, found \"ü\". Try: quotes around a key with characters other than A-Z, a-z, 0-9, _ and -"
        ),
        Complaint(
            "[uplink]\nbatch_seconds = 99999999999999999999",
            "6: [uplink] batch_seconds: column 17: 99999999999999999999 does not fit into 64 bits. Try: quotes around a text"
        ),
        Complaint(
            "username = 007",
            "5: [mqtt] username: column 12: 007 starts with 0, which TOML does not allow. Try: remove the zeros, or use quotes"
        ),
        // The error does not repeat the value, because it is a secret.
        Complaint(adapter: "pin = 0123", "2: [adapter] pin: expected a PIN of up to six digits in quotes"),
        Complaint(
            "[custom]\nx = { request = \"22F190\",\n  formula = \"A\" }",
            "6: [custom] x: column 26: a table in braces must end on its line. Try: a [header] with one line per key"
        ),
        Complaint("url = \"mqtts://b\"", "5: [mqtt] url: already set on line 4. Try: keep one of the two"),
        Complaint("\n[mqtt]", "6: [mqtt]: already set on line 3. Try: keep one of the two"),
        Complaint("\n[[mqtt]]", "6: [mqtt]: already set on line 3. Try: keep one of the two"),
        Complaint(
            "url.host = \"b\"",
            "5: [mqtt] url.host: url has a value on line 4, so it cannot be a table. Try: remove one of the two"
        ),
        Complaint(
            "username = 1979-05-27Tg",
            "5: [mqtt] username: column 12: 1979-05-27Tg is not a number, a date, true or false. Try: quotes around a text"
        ),
        Complaint(
            "username = 1979-02-29 12:00:00",
            "5: [mqtt] username: column 12: 1979-02-29 is not a number, a date, true or false. Try: quotes around a text"
        ),
        Complaint(
            "username = \"a\\u0000b\"",
            "5: [mqtt] username: contains the control character U+0000, which brokers refuse. Try: remove it"
        ),
        Complaint(
            "[commands]\nallow = [\n  \"describe\",\n  [ { a = \"\\u0000\" } ]\n]",
            "8: [commands] allow.a: contains the control character U+0000, which brokers refuse. Try: remove it",
            "8: [commands] allow: expected a text in quotes, found a list"
        ),
        Complaint("username = \"a\u{0}b\"", "5: [mqtt] username: column 14: a NUL character. Try: remove it"),
        Complaint(
            "username = " + String(repeating: "[", count: 100),
            "5: [mqtt] username: nested more than 64 levels deep"
        ),
        Complaint(String(repeating: "a.", count: 99_999) + "a = 1", "5: [mqtt] a.a.a: nested more than 64 levels deep"),
    ]

    @Test("All problems are found in one pass, in the order of the lines")
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
                agent.toml:4: [adapter] address: "AA" is not a Bluetooth address. Try: six pairs of digits, as obd-agent scan shows them
                agent.toml:6: [parameters] engine_speed: 0 s is out of range. Try: 0.05 to 86400
                agent.toml:8: [mqtt] user: unknown key
                """
        )
    }

    @Test("At most a hundred problems are listed")
    func manyProblems() throws {
        let keys = (1...1000).map { "key_\($0) = 1\n" }.joined()
        let error = try #require(throws: ConfigurationError.self) { try configuration(shortest + keys) }
        #expect(error.problems.count == 101)
        #expect(error.problems.first?.key == "[mqtt] key_1")
        #expect(error.problems.last?.description == "agent.toml: and 900 more problems")
    }
}
