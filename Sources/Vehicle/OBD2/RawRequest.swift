// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The bytes of a request, with the effect of its service (SAE J1979, ISO 14229-1, ISO 14230-3) at its address.
package struct RawRequest: Hashable, Sendable {
    /// The effect of a service on the vehicle.
    package enum Effect: Hashable, Sendable {
        case reads
        /// The service changes something in the vehicle.
        case writes
        /// The service changes something in the vehicle and erases codes.
        case clears
    }

    /// The number of bytes that fit a single frame (ISO 15765-2).
    package static let limit = 7

    /// The service and its data.
    package let payload: [UInt8]
    package let effect: Effect

    /// Checks the bytes of a request.
    ///
    /// Outside of the diagnostic addresses a reading request counts as a writing one. There an ECU that does not know
    /// services can take it for a message of another kind.
    ///
    /// - Parameter destination: the only ECU to ask; nil for all ECUs.
    /// - Throws: `.length`, `.forbidden`.
    package init(payload: [UInt8], to destination: Destination?) throws(RawRequestError) {
        guard let service = payload.first, payload.count <= Self.limit else { throw .length(payload.count) }
        guard let effect = Self.effects[service] else {
            throw .forbidden(service, Self.forbidden[service] ?? "its effect is unknown")
        }
        // The other sessions are for programming or for an unknown purpose.
        if service == 0x10, ![[0x10, 0x01], [0x10, 0x03]].contains(payload) {
            throw .forbidden(service, "only the sessions 01 and 03 are allowed")
        }
        let isDiagnostic = destination?.header.isDiagnostic ?? true
        self.payload = payload
        self.effect = effect == .reads && !isDiagnostic ? .writes : effect
    }

    private static let effects: [UInt8: Effect] = [
        0x01: .reads, 0x02: .reads, 0x03: .reads, 0x05: .reads, 0x06: .reads, 0x07: .reads, 0x09: .reads,
        0x0A: .reads, 0x19: .reads, 0x1A: .reads, 0x21: .reads, 0x22: .reads, 0x3E: .reads,
        0x04: .clears, 0x14: .clears,
        0x08: .writes, 0x10: .writes, 0x2E: .writes, 0x2F: .writes, 0x30: .writes, 0x31: .writes, 0x3B: .writes,
    ]

    /// The reasons why services are forbidden, which no configuration can change.
    private static let forbidden: [UInt8: String] = [
        0x11: "it resets the ECU", 0x23: "it reads memory by its address", 0x27: "it unlocks the ECU",
        0x28: "it silences the ECU on the bus", 0x29: "it unlocks the ECU", 0x34: "it programs the ECU",
        0x35: "it programs the ECU", 0x36: "it programs the ECU", 0x37: "it programs the ECU",
        0x38: "it programs the ECU", 0x3D: "it writes memory by its address",
        0x83: "it changes how the ECU keeps time", 0x85: "it stops the ECU from recording codes",
        0x87: "it changes the speed of the bus",
    ]

    /// Whether the request suppresses a positive reply (ISO 14229-1, suppressPosRspMsgIndicationBit).
    package var suppressesReply: Bool { self.payload.count == 2 && self.payload[0] == 0x3E && self.payload[1] == 0x80 }

    /// The bytes that a positive reply repeats after its service byte.
    package var echo: [UInt8] {
        let data = self.payload.dropFirst()
        switch self.payload[0] {
        // A reply to several PIDs or identifiers can omit any of them.
        case 0x01: return data.count == 1 ? Array(data) : []
        case 0x22: return data.count == 2 ? Array(data) : []
        case 0x02, 0x05: return Array(data.prefix(2))
        case 0x06, 0x08, 0x09, 0x10, 0x19, 0x1A, 0x21, 0x30, 0x3B: return Array(data.prefix(1))
        case 0x2E, 0x2F: return Array(data.prefix(2))
        case 0x31: return Array(data.prefix(3))
        default: return []
        }
    }
}

extension RawRequest: CustomStringConvertible {
    /// `22 F1 90`.
    package var description: String { self.payload.hexadecimal }
}

/// The reason why the agent does not send the bytes of a request.
package enum RawRequestError: Error, Hashable, Sendable {
    /// The request has this number of bytes, which a single frame cannot hold.
    case length(Int)
    /// The service is forbidden, for this reason.
    case forbidden(UInt8, String)
}

extension RawRequestError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .length(let count): "expected a request of 1 to \(RawRequest.limit) bytes, found \(count)"
        case .forbidden(let service, let reason): "service \(service.hexadecimal) is forbidden: \(reason)"
        }
    }
}
