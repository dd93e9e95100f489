// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Dialect {
    /// A request in the words of a dialect.
    package enum Phrase: Hashable, Sendable {
        /// A payload, service byte first, and what a positive reply repeats after its own service byte.
        case message(payload: [UInt8], echo: [UInt8])
        /// A parameter group, whose messages begin with its number.
        case group(PGN)
    }

    /// What the ECUs of J1979-2 may have or not.
    package struct Traits: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The functional groups of ISO 14229-1, as they should.
        package static let groups = Traits(rawValue: 1)
        /// PID 01 as an identifier; else the lamp and the count of the codes are told by the codes themselves.
        package static let monitorStatus = Traits(rawValue: 2)
    }

    /// What asks the same as `request`; nil where the dialect has no such question.
    package func phrase(_ request: Request, _ traits: Traits) -> Phrase? {
        switch self {
        case .j1979: .message(payload: request.payload, echo: request.echo)
        case .j1979Part2:
            UDSRequest(request, traits).map { .message(payload: $0.payload, echo: $0.echo) }
        case .j1939: PGN(request).map { .group($0) }
        }
    }

    /// The answer `message` in the words of SAE J1979, so that it reads as the answer to `request`.
    ///
    /// Codes of other dialects have four bytes there (``TroubleCode/bytes``), without a count.
    ///
    /// - Throws: what is wrong with the message.
    package func classic(_ message: [UInt8], to request: Request) throws(DecodingError) -> [UInt8] {
        switch self {
        case .j1979: return message
        case .j1979Part2:
            guard let status = CodeStatus(told: request.service) else {
                if request == .currentData(0x01), message.first == UDSCodeReply.positiveResponse {
                    let codes = try UDSCodeReply.decode(message, wanted: .confirmed)
                    return request.status(mil: try UDSCodeReply.wantsLamp(message), codeCount: codes.count)
                }
                guard let classic = UDSRequest.classic(message, to: request) else {
                    throw .wrongEcho(expected: request.echo, actual: Array(message.prefix(3)))
                }
                return classic
            }
            return try Self.codes(UDSCodeReply.decode(message, wanted: status), request)
        case .j1939:
            guard let group = PGN(request), message.starts(with: group.bytes) else {
                throw .wrongEcho(expected: PGN(request)?.bytes ?? [], actual: Array(message.prefix(3)))
            }
            return try request.classic(Array(message.dropFirst(3)))
        }
    }

    fileprivate static func codes(_ codes: [TroubleCode], _ request: Request) -> [UInt8] {
        [request.service.positiveResponse] + codes.flatMap(\.bytes)
    }
}

extension CodeStatus {
    /// The state of the codes that `service` tells; nil where it tells none.
    fileprivate init?(told service: Service) {
        switch service {
        case .confirmedCodes, .permanentCodes: self = .confirmed
        case .pendingCodes: self = .pending
        default: return nil
        }
    }
}

// MARK: - J1939

extension PGN {
    /// The group that answers `request`.
    fileprivate init?(_ request: Request) {
        switch request {
        case .confirmedCodes, .currentData(0x01): self = .activeCodes
        case .pendingCodes: self = .pendingCodes
        case .permanentCodes: self = .permanentCodes
        case .vehicleInformation(.vin): self = .vehicleIdentification
        case .vehicleInformation(.ecuName): self = .componentIdentification
        default: return nil
        }
    }
}

extension Request {
    /// The answer to PID 01 of an ECU that tells no more than this.
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

    /// The data of a parameter group as the answer to this request.
    fileprivate func classic(_ data: [UInt8]) throws(DecodingError) -> [UInt8] {
        switch self.service {
        case .currentData:
            // The lamp and the count are all that a diagnostic message has of PID 01.
            let message = try DiagnosticMessage(data)
            guard let lamp = message.lamps.malfunctionIndicator else { throw .notProgrammed }
            return self.status(mil: lamp, codeCount: message.codes.count)
        case .vehicleInformation where self == .vehicleInformation(.vin):
            return VehicleInformation.encode(vin: try J1939Text.vin(data), layout: .can).flatMap(\.self)
        case .vehicleInformation:
            let name = J1939Text.component(data).prefix(2).joined(separator: " ").replacing("-", with: " ")
            let ecuName = VehicleInformation.ECUName(acronym: "", name: name)
            return VehicleInformation.encode(ecuName: ecuName, layout: .can).flatMap(\.self)
        default:
            return Dialect.codes(try DiagnosticMessage(data).codes.map { .j1939($0.spn, $0.fmi) }, self)
        }
    }
}
