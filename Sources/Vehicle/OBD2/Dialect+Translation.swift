// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Dialect {
    /// A request of SAE J1979, translated to a dialect.
    package enum Translation: Hashable, Sendable {
        /// A payload, service byte first, and the bytes that a positive reply repeats after its own service byte.
        case message(payload: [UInt8], echo: [UInt8])
        /// A parameter group, whose messages begin with its number.
        case group(PGN)
    }

    /// The optional features of ECUs of J1979-2.
    package struct Traits: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The ECU knows the functional groups of ISO 14229-1, which the standard requires.
        package static let groups = Traits(rawValue: 1)
        /// The ECU has PID 01 as an identifier.
        ///
        /// Without it and without ``readiness``, the lamp and the number of codes follow from the status of the codes.
        package static let monitorStatus = Traits(rawValue: 2)
        /// The ECU has the readiness of J1979-2 as an identifier.
        package static let readiness = Traits(rawValue: 4)
    }

    /// Returns the request of the dialect for the same data as `request`; nil if the dialect has none.
    ///
    /// - Parameter traits: the features that the ECUs are known to have; used for J1979-2 only.
    package func translation(of request: Request, traits: Traits) -> Translation? {
        switch self {
        case .j1979: .message(payload: request.payload, echo: request.echo)
        case .j1979Part2:
            UDSRequest(request, traits).map { .message(payload: $0.payload, echo: $0.echo) }
        case .j1939: PGN.groups(for: request).first.map { .group($0) }
        case .manufacturer: nil
        }
    }

    /// Returns a reply of the dialect as the payload of the SAE J1979 reply to `request`.
    ///
    /// Codes of other dialects have six bytes there, without a count, behind the states that the ECU keeps. Readiness
    /// of J1979-2 has the six bytes of its identifier instead of the four of PID 01, and that of J1939 the eight of
    /// DM5.
    ///
    /// - Throws: the error that a decoder of the dialect finds in `message`.
    package func j1979Reply(from message: [UInt8], to request: Request) throws(DecodingError) -> [UInt8] {
        switch self {
        case .j1979: return message
        case .j1979Part2:
            guard let status = CodeStatus(reportedBy: request.service) else {
                if request == .currentData(0x01), message.first == UDSCodeReply.positiveResponse {
                    let codes = try UDSCodeReply.decode(message, wanted: .confirmed)
                    return request.status(mil: try UDSCodeReply.requestsLamp(message), codeCount: codes.records.count)
                }
                guard let reply = UDSRequest.j1979Reply(from: message, to: request) else {
                    throw .wrongEcho(expected: request.echo, actual: Array(message.prefix(3)))
                }
                return reply
            }
            return try Self.codes(UDSCodeReply.decode(message, wanted: status), request)
        case .j1939:
            let groups = PGN.groups(for: request)
            guard let group = groups.first(where: { message.starts(with: $0.bytes) }) else {
                throw .wrongEcho(expected: groups.first?.bytes ?? [], actual: Array(message.prefix(3)))
            }
            return try request.j1979Reply(from: Array(message.dropFirst(3)), of: group)
        case .manufacturer: throw .wrongEcho(expected: request.echo, actual: Array(message.prefix(3)))
        }
    }

    fileprivate static func codes(_ codes: CodeRecords, _ request: Request) -> [UInt8] {
        [request.service.positiveResponse] + codes.data
    }
}

extension CodeStatus {
    /// The status of the codes that `service` reports; nil if the service does not report codes.
    fileprivate init?(reportedBy service: Service) {
        switch service {
        case .confirmedCodes, .permanentCodes: self = .confirmed
        case .pendingCodes: self = .pending
        default: return nil
        }
    }
}

// MARK: - J1939

extension PGN {
    /// Returns the parameter groups with the data of `request`, the one to request first; none if there are none.
    ///
    /// The lamp and the count of codes of PID 01 are in DM1, and its readiness is in DM5.
    fileprivate static func groups(for request: Request) -> [PGN] {
        switch request {
        case .confirmedCodes: [.activeCodes]
        case .currentData(0x01): [.activeCodes, .readiness]
        case .currentData(0x41): [.tripReadiness]
        case .pendingCodes: [.pendingCodes]
        case .permanentCodes: [.permanentCodes]
        case .vehicleInformation(.vin): [.vehicleIdentification]
        case .vehicleInformation(.ecuName): [.componentIdentification]
        case .vehicleInformation(.calibrationIDs), .vehicleInformation(.calibrationVerificationNumbers):
            [.calibrations]
        case .vehicleInformation(.compressionPerformance): [.performance]
        default: []
        }
    }
}

extension Request {
    /// Returns the reply to PID 01 of an ECU that reports only the lamp and the number of codes.
    fileprivate func status(mil: Bool, codeCount: Int) -> [UInt8] {
        let status = MonitorStatus(
            mil: mil,
            codeCount: codeCount,
            ignition: .compression,
            supported: [],
            incomplete: []
        )
        return [self.service.positiveResponse] + self.data + status.data
    }

    /// Returns the reply to PID 01 or 41 of an ECU on J1939, which has the lamp and the readiness in different groups.
    private func groupStatus(
        mil: Bool = false,
        codeCount: Int = 0,
        _ readiness: MonitorReadiness = MonitorReadiness(supported: [], incomplete: [])
    ) -> [UInt8] {
        let head = (mil ? 0x80 : 0) | UInt8(max(0, min(0x7F, codeCount)))
        return [self.service.positiveResponse] + self.data + [head, 0, 0] + readiness.data
    }

    /// Returns the data of a parameter group as the payload of the SAE J1979 reply to this request.
    fileprivate func j1979Reply(from data: [UInt8], of group: PGN) throws(DecodingError) -> [UInt8] {
        switch group {
        case .readiness:
            guard let readiness = try ReadinessMessage(data).readiness else { throw .notProgrammed }
            return self.groupStatus(readiness)
        case .tripReadiness: return self.groupStatus(try MonitorReadiness(data))
        case .vehicleIdentification:
            return VehicleInformation.encode(vin: try J1939Text.vin(data), layout: .can).flatMap(\.self)
        case .componentIdentification:
            let name = J1939Text.component(data).prefix(2).joined(separator: " ").replacing("-", with: " ")
            let ecuName = VehicleInformation.ECUName(acronym: "", name: name)
            return VehicleInformation.encode(ecuName: ecuName, layout: .can).flatMap(\.self)
        case .calibrations:
            let calibrations = try CalibrationMessage(data).calibrations
            let information =
                self == .vehicleInformation(.calibrationIDs)
                ? VehicleInformation.encode(calibrationIDs: calibrations.map(\.identification), layout: .can)
                : VehicleInformation.encode(
                    calibrationVerificationNumbers: calibrations.map(\.verificationNumber),
                    layout: .can
                )
            return information.flatMap(\.self)
        case .performance:
            guard let performance = try PerformanceMessage(data).compression else { throw .notProgrammed }
            return VehicleInformation.encode(inUsePerformance: performance, layout: .can).flatMap(\.self)
        case _ where self.service == .currentData:
            // Of PID 01, a diagnostic message has the lamp and the number of codes only.
            let message = try DiagnosticMessage(data)
            guard let lamp = message.lamps.malfunctionIndicator else { throw .notProgrammed }
            return self.groupStatus(mil: lamp, codeCount: message.codes.count)
        default:
            let codes = try DiagnosticMessage(data).codes.map { CodeRecord(.j1939($0.spn, $0.fmi)) }
            return Dialect.codes(CodeRecords(codes), self)
        }
    }
}
