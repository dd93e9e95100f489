// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The coding of replies to service 19 (ISO 14229-1, 11.3).
package enum UDSCodeReply {
    /// The layout of a reply, by its sub-function: the head before the codes, and the record of each code.
    private enum Layout: UInt8 {
        /// The head is the status availability.
        case byStatus = 0x02
        /// The head is group, status availability, severity availability and format; a severity precedes each code.
        case byGroup = 0x42
        /// The head is group, status availability and format.
        case permanent = 0x55

        var headLength: Int {
            switch self {
            case .byStatus: 1
            case .byGroup: 4
            case .permanent: 3
            }
        }
        var recordLength: Int { self == .byGroup ? 5 : 4 }

        /// Returns the number of bytes in a whole reply with this number of codes.
        func length(of count: Int) -> Int { 2 + self.headLength + self.recordLength * count }
    }

    /// The format of a code's three bytes (ISO 14229-1, table "DTCFormatIdentifier").
    private enum Format: UInt8 {
        case j2012 = 0x00
        case j1939 = 0x02
        case j2012Emissions = 0x04

        func code(_ bytes: ArraySlice<UInt8>) -> TroubleCode? {
            guard !bytes.allSatisfy({ $0 == 0 }) else { return nil }
            return TroubleCode(bytes: [self == .j1939 ? Format.j1939.rawValue : Format.j2012.rawValue] + bytes)
        }
    }

    /// The first byte of every reply to service 19.
    static let positiveResponse = UDSRequest.codesService | 0x40

    /// Whether a code of the reply requests a warning lamp.
    ///
    /// - Throws: `.notProgrammed` if the ECU does not keep that status; the errors of ``decode(_:wanted:)``.
    static func requestsLamp(_ message: [UInt8]) throws(DecodingError) -> Bool {
        do throws(DecodingError) {
            return try !Self.decode(message, wanted: .warningIndicatorRequested).records.isEmpty
        } catch {
            throw error == .unknownStatus(CodeStatus.warningIndicatorRequested.rawValue) ? .notProgrammed : error
        }
    }

    /// Returns the codes of one ECU with one of the states in `wanted`, each once, in the order of the reply.
    ///
    /// - Parameters:
    ///   - message: the whole payload, `59` first.
    ///   - wanted: the states; a reply with permanent codes ignores them and gives all its codes.
    /// - Throws: `.wrongService`, `.wrongEcho` for a sub-function without codes, `.wrongLength`, `.unknownFormat` for
    ///   codes of another format; `.unknownStatus` if the ECU keeps none of the states in `wanted`, so that an empty
    ///   list would say nothing.
    package static func decode(_ message: [UInt8], wanted: CodeStatus) throws(DecodingError) -> CodeRecords {
        let expected = Self.positiveResponse
        guard let first = message.first else { throw .empty }
        guard first == expected else { throw .wrongService(expected: expected, actual: first) }
        guard message.count >= 2, let layout = Layout(rawValue: message[1]) else {
            throw .wrongEcho(expected: [Layout.byGroup.rawValue], actual: Array(message.dropFirst().prefix(1)))
        }
        let head = message.dropFirst(2).prefix(layout.headLength)
        let body = message.dropFirst(2 + layout.headLength)
        guard head.count == layout.headLength, body.count.isMultiple(of: layout.recordLength) else {
            let whole = layout.length(of: (body.count + layout.recordLength - 1) / layout.recordLength)
            throw .wrongLength(expected: whole...whole, actual: message.count)
        }
        let availability = CodeStatus(rawValue: layout == .byStatus ? message[2] : message[3])
        guard layout == .permanent || !availability.isDisjoint(with: wanted) else {
            throw .unknownStatus(wanted.rawValue)
        }
        var format = Format.j2012
        if layout != .byStatus, let byte = head.last {
            guard let known = Format(rawValue: byte) else { throw .unknownFormat(byte) }
            format = known
        }
        var codes = CodeRecords([], kept: availability)
        for start in stride(from: body.startIndex, to: body.endIndex, by: layout.recordLength) {
            let record = body[start..<start + layout.recordLength]
            guard let status = record.last.map(CodeStatus.init(rawValue:)),
                layout == .permanent || !status.isDisjoint(with: wanted),
                let code = format.code(record.dropLast().suffix(3)), !codes.codes.contains(code)
            else { continue }
            let severity = CodeSeverity(rawValue: layout == .byGroup ? record[start] : 0)
            codes.records.append(CodeRecord(code, status: status, severity: severity))
        }
        return codes
    }

    /// Returns the payload with which an ECU answers 19 42, 19 02 or 19 55 with these codes of SAE J2012.
    ///
    /// - Parameters:
    ///   - codes: the codes; those of J1939 are left out.
    ///   - request: the whole payload of the request.
    /// - Returns: nil for any other request.
    package static func encode(_ codes: [CodeRecord], to request: [UInt8]) -> [UInt8]? {
        guard request.first == UDSRequest.codesService, request.count >= 2, let layout = Layout(rawValue: request[1])
        else { return nil }
        let lengths: [Layout: Int] = [.byStatus: 3, .byGroup: 5, .permanent: 3]
        guard request.count == lengths[layout], layout == .byStatus || request[2] == UDSRequest.emissions
        else { return nil }
        // The status availability FF: the ECU keeps all states.
        let head: [UInt8] =
            switch layout {
            case .byStatus: [0xFF]
            case .byGroup: [UDSRequest.emissions, 0xFF, 0xFF, Format.j2012Emissions.rawValue]
            case .permanent: [UDSRequest.emissions, 0xFF, Format.j2012Emissions.rawValue]
            }
        let records = codes.filter { $0.code.dtc != nil }.flatMap { record in
            (layout == .byGroup ? [record.severity.rawValue] : []) + record.code.bytes.dropFirst()
                + [record.status.rawValue]
        }
        return [Self.positiveResponse, layout.rawValue] + head + records
    }
}
