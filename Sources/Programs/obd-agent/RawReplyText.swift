// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import Contract
import OBD2

/// The meaning of one part of a raw reply, as text and as JSON.
struct Explanation {
    var lines: [String]
    var json: JSON
}

/// The facts in earlier replies that the meaning of later ones depends on.
struct ReplyContext {
    /// The data of PIDs 4F and 50, which set the scale of other values.
    var maxima: [PID: [UInt8]] = [:]
    /// The layout of the freeze frames of each ECU on J1939, by its address.
    var frameLayouts: [UInt8: SupportedSPNs] = [:]
}

/// Explains raw replies of any service.
enum RawReplyText {
    /// Returns the meaning of `bytes`, which begin with the service byte.
    ///
    /// - Parameter context: the facts in the replies so far; those of this reply are added.
    static func explain(
        _ bytes: [UInt8],
        layout: MessageLayout,
        context: inout ReplyContext
    ) throws(ReplyProblem) -> [Explanation] {
        do throws(OBD2.DecodingError) {
            return try Self.decoded(bytes, layout: layout, context: &context)
        } catch {
            throw ReplyProblem(error, in: bytes, layout: layout)
        }
    }

    /// Returns the meaning of `bytes`, or the decoder's error.
    static func decoded(
        _ bytes: [UInt8],
        layout: MessageLayout,
        context: inout ReplyContext
    ) throws(OBD2.DecodingError) -> [Explanation] {
        guard let first = bytes.first else { throw .empty }
        if let negative = NegativeResponse(payload: bytes) {
            return [Explanation(lines: [negative.description], json: ["negative": .string(negative.description)])]
        }
        if let explanation = try Self.otherDialect(bytes, context: &context) { return explanation }
        guard first & 0x40 != 0, let service = Service(rawValue: first & ~0x40) else {
            throw .wrongService(expected: 0x41, actual: first)
        }
        switch service {
        case .currentData:
            var explanations: [Explanation] = []
            let parts = try CurrentData.walk(Array(bytes.dropFirst()), requested: nil)
            for (pid, data) in parts where Scaling.pids.contains(pid) { context.maxima[pid] = data }
            for (pid, data) in parts {
                explanations.append(try Self.parameter(pid, data, context.maxima))
            }
            return explanations
        case .freezeFrame:
            guard bytes.count > 3 else { throw .wrongLength(expected: 4...4095, actual: bytes.count) }
            var explanations: [Explanation] = []
            for (pid, data) in try CurrentData.walk(Array(bytes.dropFirst()), requested: nil, frame: bytes[2]) {
                explanations.append(try Self.parameter(pid, data, context.maxima))
            }
            return explanations
        case .confirmedCodes, .pendingCodes, .permanentCodes:
            let reply = try Reply(messages: [bytes], to: Request(service: service))
            return [Self.codes(try CodeReply.decode(reply, layout: layout, dialect: .j1979).codes, service)]
        case .clearCodes:
            guard bytes.count == 1 else { throw .wrongLength(expected: 1...1, actual: bytes.count) }
            return [Explanation(lines: ["codes cleared"], json: ["service": "04"])]
        case .vehicleInformation:
            return [try Self.information(bytes, layout)]
        case .oxygenSensorTests, .monitorTests:
            if let supported = try Self.supportedTests(bytes, layout) { return [supported] }
            return try Self.tests(bytes, layout).map(Self.test)
        case .control:
            guard bytes.count == 2 + ControlRequest.dataLength else {
                throw .wrongLength(expected: 7...7, actual: bytes.count)
            }
            return [Explanation(lines: ["control of \(PID(rawValue: bytes[1])): done"], json: ["service": "08"])]
        }
    }

    /// Returns the meaning of a list of supported tests; nil for any other reply to service 05 or 06.
    private static func supportedTests(
        _ bytes: [UInt8],
        _ layout: MessageLayout
    ) throws(OBD2.DecodingError) -> Explanation? {
        guard bytes.count > 1, PID(rawValue: bytes[1]).isBitmap else { return nil }
        // A byte precedes the list: the sensor of service 05, and FF on the buses before CAN.
        let head = bytes[0] == Service.oxygenSensorTests.positiveResponse || layout == .legacy ? 3 : 2
        var supported = SupportedPIDs()
        guard bytes.count == head + 4 else { throw .wrongLength(expected: head + 4...head + 4, actual: bytes.count) }
        try supported.merge(base: PID(rawValue: bytes[1]), bitmap: Array(bytes.dropFirst(head)))
        let tests = supported.pids.map(\.description)
        return Explanation(
            lines: ["supported tests: " + (tests.isEmpty ? "none" : tests.joined(separator: " "))],
            json: ["supported_tests": .array(tests.map(JSON.string))]
        )
    }

    /// Returns the results in a reply to service 05 or 06.
    private static func tests(
        _ bytes: [UInt8],
        _ layout: MessageLayout
    ) throws(OBD2.DecodingError) -> [TestsReport.Result] {
        guard bytes.count > 2 else { throw .wrongLength(expected: 3...4095, actual: bytes.count) }
        if bytes[0] == Service.oxygenSensorTests.positiveResponse {
            let test = try OxygenSensorTest.decode(
                Reply(messages: [bytes], to: .oxygenSensorTest(bytes[1], sensor: bytes[2]))
            )
            return [TestsReport.Result(test, sensor: test.sensorName(hasFourBanks: false), ecu: "")]
        }
        let reply = try Reply(messages: [bytes], to: .componentTests(bytes[1]))
        switch layout {
        case .can: return try MonitorTest.decode(reply).map { TestsReport.Result($0, ecu: "") }
        case .legacy: return try ComponentTest.decode(reply).map { TestsReport.Result($0, ecu: "") }
        }
    }

    private static func test(_ result: TestsReport.Result) -> Explanation {
        let limits = [result.minimum, result.maximum].map { $0.map { DecodedValue.number($0).text } ?? "" }
        let value = result.value.map { DecodedValue.number($0).text } ?? "no value"
        let names = [result.subject, result.quantity].compactMap(\.self).joined(separator: ", ")
        let unit = result.unit.map { " \($0)" } ?? ""
        var fields: [String: JSON] = ["service": .string(result.service), "test": .string(result.test)]
        fields["monitor"] = result.monitor.map(JSON.string)
        fields["value"] = result.value.map(JSON.number)
        fields["minimum"] = result.minimum.map(JSON.number)
        fields["maximum"] = result.maximum.map(JSON.number)
        fields["unit"] = result.unit.map(JSON.string)
        fields["verdict"] = result.verdict.map(JSON.string)
        let head = [result.monitor, result.test].compactMap(\.self).joined(separator: " ")
        return Explanation(
            lines: [
                "\(head)  \(names)",
                "    \(value)\(unit) (\(limits[0]) … \(limits[1])) \(result.verdict ?? "constant")",
            ],
            json: .object(fields)
        )
    }

    private static func parameter(
        _ pid: PID,
        _ data: [UInt8],
        _ maxima: [PID: [UInt8]]
    ) throws(OBD2.DecodingError) -> Explanation {
        let scaling = Scaling(of: SupportedPIDs(), isComplete: true, reported: maxima)
        let conventions = ECUConventions(oxygenSensors: .twoBanks, scaling: scaling)
        guard let parameter = conventions.parameter(of: pid) else { throw .unknownPID(pid) }
        let values = try conventions.decode(data, of: pid)
        var lines = ["\(pid)  \(parameter.title)"]
        for value in values {
            let unit = value.field.unit.map { " \($0.symbol)" } ?? ""
            lines.append("    \(value.field.name) = \(value.value.text)\(unit)")
        }
        if values.isEmpty {
            lines.append("    no value: its layout is not known, or the ECU supports none of its fields")
        }
        let fields = Dictionary(values.map { ($0.field.key, JSONOutput.json($0.value)) }) { first, _ in first }
        return Explanation(
            lines: lines,
            json: [
                "pid": .string(pid.description), "name": .string(parameter.name), "title": .string(parameter.title),
                "fields": .object(fields),
            ]
        )
    }

    private static func codes(_ codes: [TroubleCode], _ service: Service) -> Explanation {
        switch service {
        case .pendingCodes: Self.codes(codes, "pending")
        case .permanentCodes: Self.codes(codes, "permanent")
        default: Self.codes(codes, "stored")
        }
    }

    static func codes(_ codes: [TroubleCode], _ kind: String) -> Explanation {
        let isState = kind != "codes"
        return Explanation(
            lines: [codes.isEmpty ? (isState ? "no \(kind) codes" : "no codes") : "\(kind):"]
                + codes.flatMap(\.lines).map { "  \($0)" },
            json: ["state": isState ? .string(kind) : .null, "codes": .array(codes.map { Self.code($0).json })]
        )
    }

    /// Returns the meaning of a code.
    static func code(_ code: TroubleCode) -> Explanation {
        Explanation(
            lines: code.lines + [String(repeating: " ", count: code.description.count + 2) + code.heading],
            json: [
                "code": .string(code.description), "description": .string(code.explanation),
                "category": code.dtc.map { .string($0.category.rawValue) } ?? .null,
                "group": code.dtc?.group.map { .string($0.rawValue) } ?? .null,
            ]
        )
    }

    private static func information(_ bytes: [UInt8], _ layout: MessageLayout) throws(OBD2.DecodingError) -> Explanation
    {
        guard bytes.count > 1, let type = InfoType(rawValue: bytes[1]) else {
            throw .wrongEcho(expected: [InfoType.vin.rawValue], actual: Array(bytes.dropFirst().prefix(1)))
        }
        let reply = try Reply(messages: [bytes], to: .vehicleInformation(type))
        let (name, value): (String, String)
        switch type {
        case .vin: (name, value) = ("vin", try VehicleInformation.vin(reply, layout: layout).description)
        case .calibrationIDs:
            (name, value) = (
                "calibration_ids", try VehicleInformation.calibrationIDs(reply, layout: layout).joined(separator: " ")
            )
        case .calibrationVerificationNumbers:
            (name, value) = (
                "calibration_verification_numbers",
                try VehicleInformation.calibrationVerificationNumbers(reply, layout: layout).joined(separator: " ")
            )
        case .ecuName: (name, value) = ("ecu_name", try VehicleInformation.ecuName(reply, layout: layout).name)
        case .sparkPerformance, .compressionPerformance:
            let performance = try VehicleInformation.inUsePerformance(reply, layout: layout)
            let ratios = performance.ratios.map { "\($0.monitor) \($0.completions)/\($0.conditions)" }
            (name, value) = (
                "in_use_performance",
                "conditions \(performance.monitoringConditions), ignition cycles \(performance.ignitionCycles), "
                    + ratios.joined(separator: ", ")
            )
        case .engineSerialNumber:
            (name, value) = ("engine_serial_number", try VehicleInformation.number(reply, layout: layout))
        case .typeApprovalNumber:
            (name, value) = ("type_approval_number", try VehicleInformation.number(reply, layout: layout))
        case .supported:
            let types = try VehicleInformation.supported(reply, layout: layout)
            (name, value) = (
                "supported_information", types.map { PID(rawValue: $0.rawValue).description }.joined(separator: " ")
            )
        default: (name, value) = ("info_type_\(type.rawValue)", "not decoded")
        }
        return Explanation(lines: ["\(name) = \(value)"], json: [name: .string(value)])
    }
}
