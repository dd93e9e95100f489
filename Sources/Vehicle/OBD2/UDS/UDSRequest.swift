// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A request of OBD on UDS (SAE J1979-2): a service of ISO 14229-1, and the echo in its reply.
package struct UDSRequest: Hashable, Sendable {
    /// The bytes to send, service byte first.
    package let payload: [UInt8]
    /// The bytes that a positive reply repeats after its service byte.
    package let echo: [UInt8]

    private init(_ payload: [UInt8], echo: [UInt8]) {
        self.payload = payload
        self.echo = echo
    }

    /// The service ReadDataByIdentifier.
    static let dataService: UInt8 = 0x22
    /// The service ReadDTCInformation.
    static let codesService: UInt8 = 0x19
    /// The service ClearDiagnosticInformation.
    static let clearService: UInt8 = 0x14
    /// The functional group "emissions" (ISO 14229-1, D.5).
    static let emissions: UInt8 = 0x33

    /// Requests the data with this identifier.
    package static func data(_ identifier: UInt16) -> UDSRequest {
        let bytes = [UInt8(truncatingIfNeeded: identifier >> 8), UInt8(truncatingIfNeeded: identifier)]
        return UDSRequest([Self.dataService] + bytes, echo: bytes)
    }

    /// Requests the lamp, the number of codes and the readiness in the six bytes of J1979-2.
    package static let readiness = UDSRequest.data(0xF501)

    /// Requests the codes of the emissions group with one of these states, of any severity: 19 42.
    package static func codes(_ status: CodeStatus) -> UDSRequest {
        UDSRequest([Self.codesService, 0x42, Self.emissions, status.rawValue, 0xFF], echo: [0x42, Self.emissions])
    }

    /// Requests the codes of all groups with one of these states, for an ECU that does not know the groups: 19 02.
    package static func ungroupedCodes(_ status: CodeStatus) -> UDSRequest {
        UDSRequest([Self.codesService, 0x02, status.rawValue], echo: [0x02])
    }

    /// Requests the permanent codes of the emissions group: 19 55.
    package static let permanentCodes = UDSRequest(
        [Self.codesService, 0x55, Self.emissions],
        echo: [0x55, Self.emissions]
    )

    /// Clears the codes of the emissions group; the module `Commands` guards the request.
    package static let clearCodes = UDSRequest([Self.clearService, 0xFF, 0xFF, Self.emissions], echo: [])
}

// MARK: - Translation from and to SAE J1979

extension UDSRequest {
    /// Creates the request for the same data as `request`.
    ///
    /// PID pp is identifier F4pp, InfoType tt is F8tt (SAE J1979-2). The result is nil if J1979-2 does not have the
    /// data, or has them in another layout.
    ///
    /// - Parameter traits: the features that the ECUs are known to have.
    package init?(_ request: Request, _ traits: Dialect.Traits) {
        switch request.service {
        case .currentData where request == .currentData(0x01) && !traits.contains(.monitorStatus):
            let codes = traits.contains(.groups) ? UDSRequest.codes(.confirmed) : .ungroupedCodes(.confirmed)
            self = traits.contains(.readiness) ? .readiness : codes
        case .currentData where request.data.count == 1: self = .data(0xF400 | UInt16(request.data[0]))
        case .vehicleInformation where request.data.count == 1: self = .data(0xF800 | UInt16(request.data[0]))
        case .confirmedCodes: self = traits.contains(.groups) ? .codes(.confirmed) : .ungroupedCodes(.confirmed)
        case .pendingCodes: self = traits.contains(.groups) ? .codes(.pending) : .ungroupedCodes(.pending)
        case .permanentCodes: self = .permanentCodes
        case .clearCodes: self = .clearCodes
        default: return nil
        }
    }

    /// Returns a positive reply as the payload of the SAE J1979 reply to `request`.
    ///
    /// Replies with codes have another form, see ``UDSCodeReply``.
    ///
    /// - Returns: nil if `message` does not answer the request.
    package static func j1979Reply(from message: [UInt8], to request: Request) -> [UInt8]? {
        let isReadiness = request == .currentData(0x01) && message.starts(with: [0x62] + Self.readiness.echo)
        guard let own = isReadiness ? Self.readiness : UDSRequest(request, [.groups, .monitorStatus]),
            let first = own.payload.first, message.starts(with: [first | 0x40] + own.echo)
        else { return nil }
        let data = message.dropFirst(1 + own.echo.count)
        switch request.service {
        case .currentData where request == .currentData(0x01) && data.count != (isReadiness ? 6 : 4): return nil
        case .currentData: return [request.service.positiveResponse] + request.data + data
        case .clearCodes: return data.isEmpty ? [request.service.positiveResponse] : nil
        case .vehicleInformation:
            guard let items = Self.counted(Array(data), InfoType(rawValue: request.data[0])) else { return nil }
            return [request.service.positiveResponse] + request.data + items
        default: return nil
        }
    }

    /// Returns vehicle information after the number of its items, which J1979-2 omits but some ECUs send.
    private static func counted(_ data: [UInt8], _ type: InfoType?) -> [UInt8]? {
        if type == .supported { return data }
        guard let size = Self.itemSize(of: type) else { return nil }
        let items = data.count / size
        guard items > 0, let count = UInt8(exactly: items) else { return nil }
        switch data.count % size {
        case 0: return [count] + data
        case 1 where data[0] == count: return data
        default: return nil
        }
    }

    /// Returns the number of bytes in each item of vehicle information; nil if J1979-2 has no such items.
    package static func itemSize(of type: InfoType?) -> Int? {
        switch type {
        case .vin: 17
        case .calibrationIDs: 16
        case .calibrationVerificationNumbers: 4
        case .ecuName: 20
        default: nil
        }
    }
}
