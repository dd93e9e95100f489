// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2
import Session
import TestSupport
import Testing
import Uplink

@testable import Agent

@Suite("From what is read to what is shown")
struct ContractMappingTests {
    private static let engine = ECUAddress.can11(0x7E8)
    private static let metric = ContractMapping(clock: StandingClock(), isImperial: false)
    private static let imperial = ContractMapping(clock: StandingClock(), isImperial: true)

    /// Data of every parameter at its edges and in between, and what it decodes to.
    private static func values() -> [FieldValue] {
        var numbers = SeededNumbers(7)
        var values: [FieldValue] = []
        for parameter in Parameter.catalogue {
            guard let length = parameter.length else { continue }
            var data: [[UInt8]] = [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF].map {
                [UInt8](repeating: $0, count: length.upperBound)
            }
            data += data.map { [0xFF] + $0.dropFirst() }
            for _ in 0..<200 {
                data.append((0..<length.upperBound).map { _ in UInt8.random(in: 0...255, using: &numbers) })
            }
            for bytes in data { values += (try? parameter.decode(bytes)) ?? [] }
        }
        return values
    }

    @Test("Every number of the catalogue is recorded as it was read")
    func exact() throws {
        let values = Self.values()
        var fields: Set<String> = []
        for value in values {
            let sample = Self.metric.sample(Sample(value: value, ecu: Self.engine, time: .zero), primary: Self.engine)
            guard case .number(let number) = value.value else { continue }
            let recorded = Double(try #require(sample.steps, "\(value.field.name)")) * sample.scale
            let isSame = abs(recorded - number) <= 1e-9 * max(abs(number), sample.scale)
            guard !isSame else { continue }
            guard fields.insert(value.field.name).inserted else { continue }
            Issue.record("\(value.field.name): \(number) is recorded as \(recorded), in steps of \(sample.scale)")
        }
        #expect(Set(values.map(\.field.name)).count > 300)
    }

    @Test("Every number of the catalogue is shown as it was read, to six decimals")
    func shown() throws {
        for value in Self.values() {
            guard case .number(let number) = value.value else { continue }
            let sample = Self.metric.sample(Sample(value: value, ecu: Self.engine, time: .zero), primary: Self.engine)
            let shown = try #require(sample.report.value.double)
            #expect(abs(shown - number) <= 5.1e-7, "\(value.field.name)")
            let step = Double(value.field.multiplier) / Double(value.field.divisor)
            #expect(abs(shown - number) < step / 10, "\(value.field.name) has steps of \(step)")
            #expect(sample.report.unit == value.field.unit?.symbol)
        }
    }

    @Test("Imperial units are shown, and never recorded")
    func units() throws {
        for value in Self.values() {
            guard case .number(let number) = value.value else { continue }
            let sample = Sample(value: value, ecu: Self.engine, time: .zero)
            let (metric, imperial) = (
                Self.metric.sample(sample, primary: Self.engine), Self.imperial.sample(sample, primary: Self.engine)
            )
            #expect(metric.steps == imperial.steps && metric.scale == imperial.scale)
            guard let (converted, unit) = value.field.imperial(number) else { continue }
            #expect(imperial.report.unit == unit.symbol)
            #expect(abs(try #require(imperial.report.value.double) - converted) <= 5.1e-7)
        }
    }

    @Test("Flags and codes are recorded as whole numbers; words and sets are not")
    func others() throws {
        func sample(_ name: String, _ data: [UInt8], _ key: String) throws -> Uplink.Sample {
            let value = try #require(try Parameter.named(name)?.decode(data).first { $0.field.key == key })
            return Self.metric.sample(Sample(value: value, ecu: Self.engine, time: .zero), primary: nil)
        }
        let mil = try sample("01", [0x83, 0x07, 0x65, 0x04], "mil")
        #expect(mil.steps == 1 && mil.scale == 1)
        #expect(try sample("01", [0x83, 0x07, 0x65, 0x04], "ignition").steps == nil)
        #expect(try sample("fuel_type", [4], "value").steps == 4)
        #expect(try sample("01", [0x83, 0x07, 0x65, 0x04], "supported").steps == nil)
    }

    @Test("The vehicle's report has the roles of the values that are selected and supported")
    func roles() throws {
        func custom(_ field: Field) throws -> CustomParameter {
            CustomParameter(request: try CustomRequest(payload: [0x22, 1, 1]), field: field)
        }
        let formula = try Formula("A")
        let known = [
            try custom(Field(custom: "charge", formula, symbol: "%", role: .stateOfCharge)),
            try custom(Field(custom: "state", formula, labels: [5: "on"], role: .charging, trueValues: [5])),
            try custom(Field(custom: "plug", formula, role: .pluggedIn, trueValues: [2])),
            try custom(Field(custom: "unselected", formula, symbol: "%", role: .stateOfHealth)),
            try custom(Field(custom: "silent", formula, symbol: "km", role: .range)),
        ]
        var ecu = ECUIdentity()
        // The odometer (A6) is not selected, and no ECU has the fuel level (2F), which is read during a charge.
        for pid: PID in [0x0D, 0x5B, 0xA6] { ecu.supported.insert(pid) }
        let selected: [ParameterKey] = [
            0x0C, 0x0D, .custom("charge"), .custom("state"), .custom("plug"), .custom("silent"),
        ]
        let report = Self.metric.vehicle(
            VehicleIdentity(bus: .can11at500, ecus: [Self.engine: ecu]),
            Selection(intervals: Dictionary(uniqueKeysWithValues: selected.map { ($0, .seconds(1)) })),
            charging: [0x2F, 0x5B],
            unsupported: [0x0C, .custom("silent")],
            custom: known
        )
        let roles = [
            "state_of_charge": ["charge", "hybrid_battery_charge"], "charging": ["state"], "plugged_in": ["plug"],
            "vehicle_speed": ["vehicle_speed"],
        ]
        #expect(report.roles == roles)
        #expect(report.trueValues == ["state": [5]])
        #expect(report.units == ["charge": "%"])
    }

    @Test("The vehicle's report has the titles that the user gave custom parameters, cut to 128 bytes")
    func customTitles() throws {
        let titles = ["charge": "Charge", "long": String(repeating: "x", count: 200), "plain": nil, "unselected": "No"]
        let known = try titles.map { name, title in
            CustomParameter(
                title: title,
                request: try CustomRequest(payload: [0x22, 1, 1]),
                field: Field(custom: name, try Formula("A"))
            )
        }
        func report(_ names: [String]) -> VehicleReport {
            let keys = names.map { (ParameterKey.custom($0), Duration.seconds(1)) }
            return Self.metric.vehicle(
                VehicleIdentity(bus: .can11at500, ecus: [Self.engine: ECUIdentity()]),
                Selection(intervals: Dictionary(uniqueKeysWithValues: keys)),
                unsupported: [],
                custom: known
            )
        }
        let all = report(["charge", "long", "plain"])
        #expect(all.titles == ["charge": "Charge", "long": String(repeating: "x", count: 128)])
        #expect(report(["plain"]).titles == nil)
    }

    @Test("The vehicle's report has the metric units of custom parameters, also those that the catalogue lacks")
    func customUnits() throws {
        let symbols = ["distance": "km", "flow": "furlong/h", "count": nil]
        let known = try symbols.map { name, symbol in
            CustomParameter(
                request: try CustomRequest(payload: [0x22, 1, 1]),
                field: Field(custom: name, try Formula("A"), symbol: symbol)
            )
        }
        var ecu = ECUIdentity()
        ecu.supported.insert(0x0D)
        let keys = symbols.keys.map { ParameterKey.custom($0) } + [0x0D, .derived("fuel_flow")]
        for mapping in [Self.metric, Self.imperial] {
            let report = mapping.vehicle(
                VehicleIdentity(bus: .can11at500, ecus: [Self.engine: ecu]),
                Selection(intervals: Dictionary(uniqueKeysWithValues: keys.map { ($0, .seconds(1)) })),
                unsupported: [],
                custom: known
            )
            #expect(report.units == ["distance": "km", "flow": "furlong/h"])
        }
    }

    @Test("The primary ECU owns the name; another's has its own")
    func ownership() throws {
        let value = try #require(try Parameter.named("0C")?.decode([0x0C, 0xB2]).first)
        let sample = Sample(value: value, ecu: Self.engine, time: MonotonicTime(sinceBoot: .milliseconds(1500)))
        let own = Self.metric.sample(sample, primary: Self.engine)
        #expect(own.path == .parameter("engine_speed", ecu: nil) && own.series == "engine_speed")
        #expect(own.report.time.milliseconds == 1500 && own.report.ecu == "7E8" && own.report.quality == .good)
        let other = Self.metric.sample(sample, primary: .can11(0x7E0))
        #expect(other.path == .parameter("engine_speed", ecu: "7E8") && other.series == "engine_speed/7E8")
        let unset = ContractMapping(clock: StandingClock(quality: .unsynchronised), isImperial: false)
        #expect(unset.sample(sample, primary: nil).report.quality == .unsynchronised)
    }

    @Test("Codes of other dialects tell how they fail, and about what")
    func otherDialects() throws {
        let codes: [TroubleCode] = [.j2012Failure(DTC(rawValue: 0x0301), type: 0x1F), .j1939(110, 0)]
        let reading = CodeReading(
            lists: [.stored: .read([Self.engine: codes])],
            monitors: [:],
            time: MonotonicTime(sinceBoot: .seconds(1))
        )
        let report = Self.metric.codes(reading, CodeHistory(boot: "b"))
        #expect(report.codes.map(\.code) == ["P0301-1F", "SPN110-FMI0"])
        #expect(report.codes.map(\.failureType) == ["1F", nil])
        #expect(report.codes.map(\.spn) == [nil, 110] && report.codes.map(\.fmi) == [nil, 0])
        #expect(report.codes.map(\.category) == ["powertrain", nil])
    }

    @Test("A code has the severity that its ECU reports, and a list without some ECU's answer is not known")
    func severity() throws {
        let misfire = TroubleCode.j2012Failure(DTC(rawValue: 0x0301), type: 0x1F)
        let other = TroubleCode.j2012Failure(DTC(rawValue: 0x0420), type: 0)
        var reading = CodeReading(
            lists: [.stored: .incomplete([Self.engine: [misfire, other]])],
            monitors: [:],
            time: MonotonicTime(sinceBoot: .seconds(1))
        )
        let severity = CodeSeverity(rawValue: 0x44)
        reading.records = [Self.engine: [misfire: CodeRecord(misfire, status: .confirmed, severity: severity)]]
        reading.lampRequests = [Self.engine: true]
        let report = Self.metric.codes(reading, CodeHistory(boot: "b"))
        #expect(!report.known && report.mil == true)
        #expect(report.unread == [.stored, .pending, .permanent])
        #expect(report.codes.map(\.severity) == [.checkAtNextHalt, nil])
        #expect(report.codes.map(\.severityClass) == [2, nil])
    }

    @Test("The readiness of OBD on UDS tells no ignition")
    func readiness() throws {
        let status = try MonitorStatus(data: [0x01, 0x9F, 0x01, 0x11, 0x06, 0x2A])
        let report = try #require(Self.metric.monitors([Self.engine: status]))
        #expect(report.ignition == nil && report.ecus["7E8"]?.ignition == nil)
        #expect(report.monitors["engine_cooling"] == .incomplete && report.monitors["catalyst"] == .complete)
    }

    @Test("A lamp and a count alone say nothing of readiness")
    func lampOnly() {
        let status = MonitorStatus(mil: true, codeCount: 1, ignition: .compression, supported: [], incomplete: [])
        #expect(Self.metric.monitors([Self.engine: status]) == nil)
    }

    @Test("A code list tells what is known, what is not, and since when")
    func codes() {
        var history = CodeHistory(boot: "b")
        let misfire = TroubleCode.j2012(DTC(rawValue: 0x0301))
        let first = CodeReading(
            lists: [.stored: .read([Self.engine: [misfire]]), .pending: .failed, .permanent: .notSupported],
            monitors: [:],
            time: MonotonicTime(sinceBoot: .seconds(1))
        )
        _ = history.update(first)
        var second = first
        second.time = MonotonicTime(sinceBoot: .seconds(9))
        let report = Self.metric.codes(second, history)
        #expect(report.known && report.mil == nil && report.unread == [.pending])
        #expect(report.time.milliseconds == 9000)
        #expect(report.codes.map(\.code) == ["P0301"] && report.codes.map(\.firstSeen.milliseconds) == [1000])
        second.lists[.stored] = .notSupported
        let refused = Self.metric.codes(second, history)
        #expect(!refused.known && refused.notSupported.contains(.stored) && refused.unread == [.pending])
        second.lists = [:]
        let nothing = Self.metric.codes(second, history)
        #expect(!nothing.known && nothing.codes.isEmpty && nothing.unread == [.stored, .pending, .permanent])
    }
}
