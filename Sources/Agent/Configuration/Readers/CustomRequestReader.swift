// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// Reads the keys of a table `[custom.NAME]` that describe the request and the ECU that it goes to.
enum CustomRequestReader {
    static func read(
        _ table: CustomTable,
        allowsAnyHeader: Bool,
        _ cursor: inout ConfigurationCursor
    ) -> CustomRequest? {
        let destination = Self.destination(table, &cursor)
        if let header = destination?.header, !header.isDiagnostic, !allowsAnyHeader {
            cursor.report(
                table.path(.header),
                "\(header) is no diagnostic address, so ECUs may mistake the request for another kind of message. "
                    + "Try: one of \(Destination.Header.diagnosticRanges), or, if the manufacturer uses this header "
                    + "for diagnostics, [adapter] \(Key.adapterNonDiagnosticHeaders.name) = true in agent.toml"
            )
        }
        let path = table.path(.request)
        guard let text = cursor.text(at: path) else {
            cursor.reportIfMissing(
                .request,
                in: table,
                "service and data, such as request = \"22F190\", or frame = \"1A0\" for what is on a CAN bus anyway"
            )
            return nil
        }
        guard let payload = Self.bytes(text) else {
            cursor.report(path, "expected hexadecimal bytes such as \"22F190\"")
            return nil
        }
        do {
            return try CustomRequest(payload: payload, destination: destination)
        } catch {
            cursor.report(path, error.description)
            return nil
        }
    }

    /// Returns the ECU to ask, or `nil` for a broadcast.
    private static func destination(_ table: CustomTable, _ cursor: inout ConfigurationCursor) -> Destination? {
        let header = Self.header(.header, of: table, &cursor)
        let responder = Self.header(.receive, of: table, &cursor)
        let extendedAddress = Self.byte(.extendedAddress, of: table, &cursor)
        let testerAddress = Self.byte(.testerAddress, of: table, &cursor)
        let setsFlowControl = cursor.flag(at: table.path(.flowControl))
        let timeout = cursor.seconds(at: table.path(.timeout), in: 0.004...1.044)
        guard let header, !header.isFunctional else {
            for key in [CustomKey.receive, .extendedAddress, .testerAddress, .flowControl, .timeout]
            where cursor.value(at: table.path(key)) != nil {
                cursor.report(table.path(key), "has no effect without the header of one ECU")
            }
            return nil
        }
        if testerAddress != nil, extendedAddress == nil {
            cursor.report(table.path(.testerAddress), "has no effect without extended_address")
        }
        let destination = Destination(
            header: header,
            responder: responder,
            extendedAddress: extendedAddress,
            testerAddress: testerAddress,
            setsFlowControl: setsFlowControl ?? false,
            timeout: timeout
        )
        if destination == nil {
            if responder == nil {
                let message = "the reply address for this header is not known. Try: set receive"
                cursor.report(table.path(.header), message)
            } else {
                cursor.report(table.path(.receive), "must have as many digits as header")
            }
        }
        return destination
    }

    private static func header(
        _ key: CustomKey,
        of table: CustomTable,
        _ cursor: inout ConfigurationCursor
    ) -> Destination.Header? {
        let path = table.path(key)
        guard let text = cursor.text(at: path) else { return nil }
        guard let header = Destination.Header(text) else {
            let widths = "3 hexadecimal digits (CAN, 11 bits), 8 (CAN, 29 bits) or 6 (the older buses)"
            cursor.report(path, "expected \(widths)")
            return nil
        }
        return header
    }

    private static func byte(
        _ key: CustomKey,
        of table: CustomTable,
        _ cursor: inout ConfigurationCursor
    ) -> UInt8? {
        let path = table.path(key)
        guard let text = cursor.text(at: path) else { return nil }
        guard let bytes = Self.bytes(text), bytes.count == 1 else {
            cursor.report(path, "expected two hexadecimal digits in quotes")
            return nil
        }
        return bytes[0]
    }

    /// Returns the bytes of up to 64 hexadecimal digits in pairs, with or without blanks.
    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: " ") }
        guard digits.count.isMultiple(of: 2), digits.count <= 64 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[index..<index + 2], as: UTF8.self)
            guard pair.allSatisfy(\.isHexDigit), let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
