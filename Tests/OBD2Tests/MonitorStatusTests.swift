// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("Monitor status")
struct MonitorStatusTests {
    @Test("The standard's worked example decodes")
    func example() throws {
        let status = try MonitorStatus(data: bytes("83076504"))
        #expect(status.mil)
        #expect(status.codeCount == 3)
        #expect(status.ignition == .spark)
        #expect(
            status.supported == [
                .misfire, .fuelSystem, .components, .catalyst, .evaporativeSystem, .oxygenSensor, .oxygenSensorHeater,
            ]
        )
        #expect(status.incomplete == [.evaporativeSystem])
        #expect(status.monitors.count == 11)
        #expect(status.monitors.filter { $0.supported && !$0.complete }.map(\.monitor) == [.evaporativeSystem])
        #expect(status.monitors.filter { !$0.supported }.allSatisfy { !$0.complete })
    }

    @Test(
        "Every status encodes to the bytes that it was decoded from",
        arguments: Table.vectors.rows.filter { $0["field"] == "mil" }
    )
    func roundTrip(_ row: [String: String]) throws {
        let status = try MonitorStatus(data: bytes(row["data_hex"] ?? ""))
        #expect(try MonitorStatus(data: status.data) == status)
        #expect(status.data == bytes(row["data_hex"] ?? ""))
    }

    @Test("The incomplete bit of an unsupported monitor is ignored")
    func unsupported() throws {
        #expect(try MonitorStatus(data: bytes("007000FF")).incomplete.isEmpty)
    }

    @Test("A wrong length is refused", arguments: ["", "830765", "8307650400"])
    func length(_ data: String) {
        #expect(throws: DecodingError.wrongLength(expected: 4...4, actual: bytes(data).count)) {
            try MonitorStatus(data: bytes(data))
        }
    }

    @Test("A gearbox that answers with zeros does not change a diesel", arguments: [true, false])
    func gearbox(_ comesFirst: Bool) throws {
        let engine = try MonitorStatus(data: bytes("810EEB08"))
        let gearbox = try MonitorStatus(data: bytes("82000000"))
        let merged = try #require(MonitorStatus.merged(comesFirst ? [gearbox, engine] : [engine, gearbox]))
        #expect(merged.mil)
        #expect(merged.codeCount == 3)
        #expect(merged.ignition == .compression)
        #expect(merged.supported == engine.supported)
        #expect(merged.incomplete == engine.incomplete)
    }

    @Test("A monitor is complete only if it is complete in every ECU that supports it")
    func incompleteSomewhere() throws {
        let first = try MonitorStatus(data: bytes("00040100"))
        let second = try MonitorStatus(data: bytes("00440101"))
        let merged = try #require(MonitorStatus.merged([first, second]))
        #expect(merged.incomplete == [.components, .catalyst])
        #expect(MonitorStatus.merged([]) == nil)
        #expect(MonitorStatus.merged([first]) == first)
    }

    @Test("The merged count can exceed the limit of one ECU")
    func counts() throws {
        let full = try MonitorStatus(data: bytes("FF000000"))
        let merged = try #require(MonitorStatus.merged([full, full]))
        #expect(merged.codeCount == 254)
        #expect(merged.data[0] == 0xFF)
    }

    @Test("The readiness of J1979-2 has monitors of its own, in six bytes")
    func readiness() throws {
        // MIL, 3 codes; misfire to cooling, of which misfire and cooling are incomplete; catalyst complete; evap
        // incomplete; crankcase and recirculation complete; cold start incomplete, other complete.
        let status = try MonitorStatus(data: bytes("83 9F 01 11 06 2A"))
        #expect(status.mil && status.codeCount == 3 && status.ignition == nil)
        #expect(
            status.supported == [
                .misfire, .fuelSystem, .components, .engineCooling, .catalyst, .evaporativeSystem,
                .crankcaseVentilation, .recirculation, .coldStart, .other,
            ]
        )
        #expect(status.incomplete == [.misfire, .engineCooling, .evaporativeSystem, .coldStart])
        #expect(status.data == bytes("83 9F 01 11 06 2A"))
        #expect(status.monitors.count == 20)
        #expect(status.monitors.filter(\.complete).count == 6)
        // A bit of an unsupported monitor says nothing.
        #expect(try MonitorStatus(data: bytes("00 F0 F0 F0 F0 F0")).incomplete.isEmpty)
        #expect(throws: DecodingError.self) { try MonitorStatus(data: bytes("00 00 00 00 00")) }
    }

    @Test("The readiness of ECUs of J1979-2 merges as any other")
    func mergedReadiness() throws {
        let statuses = try ["01 11 00 00 00 00", "82 01 00 00 00 00"].map { try MonitorStatus(data: bytes($0)) }
        let merged = try #require(MonitorStatus.merged(statuses))
        #expect(merged.mil && merged.codeCount == 3 && merged.ignition == nil)
        #expect(merged.incomplete == [.misfire])
    }
}
