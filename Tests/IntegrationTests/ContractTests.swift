// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Contract
import ELM327
import FoundationEssentials
import JOSE
import MQTT
import OBD2
import TestSupport
import Testing

@Suite("docs/contract")
struct ContractDocumentTests {
    private static let folder = "\(PythonTools.packageRoot)/docs/contract"

    private static func read(_ name: String) throws -> String {
        try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
    }

    private static func names(_ schema: JSON) -> Set<String> {
        Set(schema["enum"].elements.compactMap(\.string))
    }

    @Test("The schemas know just the words that the code knows")
    func words() throws {
        let common = JSON(parsing: Array(try Self.read("common.schema.json").utf8))["$defs"]
        let response = JSON(parsing: Array(try Self.read("response.schema.json").utf8))["properties"]
        let event = JSON(parsing: Array(try Self.read("event.schema.json").utf8))["properties"]
        let status = JSON(parsing: Array(try Self.read("status.schema.json").utf8))["properties"]
        let readiness = JSON(parsing: Array(try Self.read("monitors.schema.json").utf8))
        let monitors = readiness["properties"]
        let tests = monitors["tests"]["properties"]
        let codes = JSON(parsing: Array(try Self.read("codes.schema.json").utf8))["properties"]
        let code = codes["codes"]["items"]["properties"]
        #expect(Self.names(common["role"]) == Set(ParameterRole.allCases.map(\.rawValue)))
        #expect(Self.names(code["category"]) == Set(DTC.Category.allCases.map(\.rawValue)))
        #expect(Self.names(code["group"]) == Set(DTC.Group.allCases.map(\.rawValue)))
        let finding = JSON(parsing: Array(try Self.read("finding.schema.json").utf8))["properties"]
        #expect(Self.names(finding["severity"]) == Set(Finding.Severity.allCases.map(\.rawValue)))
        #expect(Self.names(response["reason"]) == Set(CommandResponse.Reason.allCases.map(\.rawValue)))
        #expect(Self.names(response["state"]) == Set(CommandResponse.State.allCases.map(\.rawValue)))
        #expect(Self.names(event["event"]) == Set(AgentEvent.Kind.allCases.map(\.rawValue)))
        #expect(Self.names(event["stream"]) == Set(RecordStream.allCases.map(\.rawValue)))
        let storeStates = status["store"]["properties"]["state"]
        #expect(Self.names(storeStates) == Set(AgentStatus.Store.State.allCases.map(\.rawValue)))
        let level = status["budget"]["properties"]["level"]
        #expect(Self.names(level) == Set(BudgetLevel.allCases.map(\.rawValue)))
        #expect(Self.names(status["link"]) == Set(AgentStatus.Link.allCases.map(\.rawValue)))
        let capabilities = status["adapter"]["properties"]["capabilities"]
        #expect(Self.names(capabilities["propertyNames"]) == Set(Capability.allCases.map(\.rawValue)))
        let busStates = Set(AgentStatus.Controller.State.allCases.map(\.rawValue))
        #expect(Self.names(status["adapter"]["properties"]["can"]["properties"]["state"]) == busStates)
        let verdicts = Set(AgentStatus.Capability.allCases.map(\.rawValue))
        #expect(Self.names(capabilities["additionalProperties"]) == verdicts)
        let states = readiness["$defs"]["states"]
        #expect(Self.names(states["propertyNames"]) == Set(Monitor.allCases.map(\.rawValue)))
        #expect(Self.names(states["additionalProperties"]) == Set(MonitorsReport.State.allCases.map(\.rawValue)))
        #expect(
            Self.names(tests["ecus"]["additionalProperties"]) == Set(TestsReport.State.allCases.map(\.rawValue))
        )
        #expect(
            Self.names(tests["results"]["items"]["properties"]["verdict"])
                == Set(MonitorTest.Verdict.allCases.map(\.rawValue))
        )
        #expect(
            Self.names(codes["freeze_frames"]["additionalProperties"]["properties"]["state"])
                == Set(CodesReport.FrameStatus.State.allCases.map(\.rawValue))
        )
        #expect(Self.names(monitors["ignition"]) == Set(Ignition.allCases.map(\.rawValue)))
        #expect(Self.names(common["command_name"]) == Set(CommandName.allCases.map(\.rawValue)))
        #expect(Self.names(common["code_state"]) == Set(CodesReport.State.allCases.map(\.rawValue)))
        #expect(Self.names(common["clock"]) == Set(ClockQuality.allCases.map(\.rawValue)))
        #expect(Self.names(common["quality"]) == Set(Quality.allCases.map(\.rawValue)))
        #expect(Self.names(common["catalogue_unit"]) == Set(Unit.allCases.map(\.rawValue)))
    }

    @Test(
        "A message that breaks the contract is found",
        arguments: [
            ("telemetry/zlib", "{}"), ("availability", "maybe"), ("nothing/like/this", "{}"), ("status", "{}"),
            ("codes", "no JSON"),
            ("parameters/engine_speed", #"{"value":1,"time":"2026-11-21T10:00:00Z","ecu":"7E8","quality":"good"}"#),
            ("parameters/engine_speed", #"{"value":1,"time":"2026-11-21T10:00:00.000Z","ecu":"7E8","quality":"bad"}"#),
            (
                "parameters/engine_speed",
                #"{"value":1,"time":"2026-11-21T10:00:00.000Z","ecu":"7E8","quality":"good","more":1}"#
            ),
            (
                "events",
                """
                {"v":1,"agent":"0123456789ab","epoch":1,"seq":1,"time":"2026-11-21T10:00:00.000Z","clock":"synchronised",\
                "event":"code_appeared"}
                """
            ),
        ]
    )
    func isFound(topic: String, payload: String) async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("\(topic)\t\(Array(payload.utf8).hexadecimal)", to: "messages")
        await #expect(throws: ProgramFailed.self) {
            try await PythonTools().run("check_contract", [Self.folder, file])
        }
    }

    @Test("A signal strength and a CAN controller, which no test here has, are in the schema", arguments: [-67, nil])
    func signalStrength(rssi: Int?) async throws {
        var status = AgentStatus(
            agent: "0123456789ab",
            version: "1.2.3",
            time: Timestamp(milliseconds: 0),
            simulated: false,
            vehicleConfirmed: true,
            adapter: .init(
                address: "ble:AA:BB:CC:DD:EE:FF",
                rssi: rssi,
                can: .init(
                    bitRate: rssi.map { _ in 500_000 },
                    state: rssi == nil ? nil : .passive,
                    transmitErrors: rssi.map { _ in 128 },
                    receiveErrors: rssi.map { _ in 0 },
                    errorFrames: 3
                )
            ),
            link: .connected,
            problem: nil,
            protocol: "ISO 15765-4 (CAN 11/500)",
            dialect: .j1979,
            clock: .synchronised,
            outbox: .init(records: 1, dropped: 0, oldest: Timestamp(milliseconds: 0)),
            store: .init(bytes: 4096, problem: "the disk is full"),
            sentToday: 0,
            budget: rssi.map { _ in .init(bytes: 1, level: .exhausted) },
            dropped: .init(replies: 0, commands: 0)
        )
        status.acknowledged = .init(epoch: 1, [.telemetry: 2, .events: 3])
        let payload = Array(try JSONEncoder().encode(status))
        #expect(JSON(parsing: payload)["adapter"]["rssi"] == rssi.map { .integer(Int64($0)) } ?? .null)
        let directory = try TemporaryDirectory()
        let file = try directory.write("status\t\(payload.hexadecimal)", to: "messages")
        #expect(try await PythonTools().run("check_contract", [Self.folder, file]).isEmpty)
    }

    @Test("The Python in the document decodes telemetry, compressed or not", arguments: [false, true])
    func python(isCompressed: Bool) async throws {
        let record = """
            {"t0": "2026-11-21T10:00:00.000Z", "series": {
             "engine_speed": {"ecu": "7E8", "scale": 0.25, "dt": [0, 480, 510], "dv": [3250, 12, -4]},
             "intake_air_temperature": {"ecu": "7E8", "scale": 1, "dt": [990], "dv": [-12]}}}
            """
        let plain = Array(record.utf8)
        let payload = try #require(isCompressed ? Zlib.compressed(plain) : plain)
        let topic = isCompressed ? "obd/van/telemetry/zlib" : "obd/van/telemetry"
        let arguments = ["\(Self.folder)/README.md", topic, payload.hexadecimal]
        let output = try await PythonTools().run("decode_telemetry", arguments)
        let samples: JSON = [
            ["engine_speed", "7E8", "2026-11-21T10:00:00+00:00", 812.5],
            ["engine_speed", "7E8", "2026-11-21T10:00:00.480000+00:00", 815.5],
            ["engine_speed", "7E8", "2026-11-21T10:00:00.990000+00:00", 814.5],
            ["intake_air_temperature", "7E8", "2026-11-21T10:00:00.990000+00:00", -12],
        ]
        #expect(JSON(parsing: Array((output.first ?? "").utf8)) == samples)
    }

    @Test("The commands in the document are good for the schema and for the agent, and bad ones for neither")
    func commands() async throws {
        let parts = try Self.read("README.md").split(separator: "```json\n").dropFirst()
        let examples = parts.compactMap { $0.split(separator: "```").first.map(String.init) }
        let documented = examples.filter { $0.contains("issued_at") }
        #expect(documented.count == 4)
        // The claims of the example are valid if the issuer in the document has signed them.
        let claims = try #require(examples.first { $0.contains("jti") })
        let key = try JSONWebKey.generate(keyID: "ada", members: ["roles": ["specialist"]])
        let signed = try CompactJWS.sign(Array(claims.utf8), with: key)
        let trusted = try TrustedKeys(parsing: Array(Bench.trusting(key).utf8))
        #expect(try CommandDecoder.decode(Array(signed.utf8), keys: trusted).id == "desk-17")
        _ = try TrustedKeys(parsing: Array(try #require(examples.first { $0.contains("\"keys\"") }).utf8))
        let times = #""issued_at": "2026-11-21T10:00:00Z", "expires_at": "2026-11-21T10:05:00Z""#
        let set = #"{"010C": {"interval": 1, "dead_band": 5}, "category:fuel": 60}"#
        let changes = #"{"set": \#(set), "remove": ["category:air"]}"#
        let good =
            documented + [
                #"{"id": "a", "command": "select_parameters", "arguments": \#(changes), \#(times)}"#,
                #"{"id": "a", "command": "select_parameters", "arguments": {"remove": []}, \#(times)}"#,
            ]
        let bad = [
            #"{"command": "describe", \#(times)}"#, #"{"id": "a b", "command": "describe", \#(times)}"#,
            #"{"id": "a", "command": "explode", \#(times)}"#, #"{"id": "a", "command": "clear_codes", \#(times)}"#,
            #"{"id": "a", "command": "clear_codes", "arguments": {"confirm": []}, \#(times)}"#,
            #"{"id": "a", "command": "describe", "arguments": {"all": true}, \#(times)}"#,
            #"{"id": "a", "command": "read_parameters", "arguments": {"parameters": []}, \#(times)}"#,
            #"{"id": "a", "command": "select_parameters", "arguments": {"parameters": {"engine_speed": 0}}, \#(times)}"#,
            #"{"id": "a", "command": "record_finding", "arguments": {"text": ""}, \#(times)}"#,
            #"{"id": "a", "command": "select_parameters", "arguments": {}, \#(times)}"#,
            #"{"id": "a", "command": "select_parameters", "arguments": {"parameters": {}, "set": {}}, \#(times)}"#,
            #"{"id": "a", "command": "select_parameters", "arguments": {"set": {"category:x": 1}}, \#(times)}"#,
            #"{"id": "a", "command": "record_finding", "arguments": {"text": "a\tb"}, \#(times)}"#,
            #"{"id": "a", "command": "record_finding", "arguments": {"text": "a", "codes": ["X"]}, \#(times)}"#,
            #"{"id": "a", "command": "describe", "issued_at": 17, "expires_at": "2026-11-21T10:05:00Z"}"#,
            #"{"id": "a", "command": "describe", "please": true, \#(times)}"#,
        ]
        let verdicts = try await PythonTools().run("check_commands", [Self.folder] + good + bad)
        #expect(verdicts == good.map { _ in "true" } + bad.map { _ in "false" })
        for command in good { _ = try CommandDecoder.decode(Array(command.utf8)) }
        for command in bad {
            #expect(throws: Refusal.self, "\(command)") { try CommandDecoder.decode(Array(command.utf8)) }
        }
    }
}
