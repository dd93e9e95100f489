// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A request as bytes, with what its service does (SAE J1979, ISO 14229-1, ISO 14230-3) at its address.
package struct RawRequest: Hashable, Sendable {
    /// What a service does.
    package enum Effect: Hashable, Sendable {
        case reads
        /// It changes something in the vehicle.
        case writes
        /// It changes something, and erases codes.
        case clears
    }

    /// The most bytes that fit a single frame (ISO 15765-2).
    package static let limit = 7

    /// The service and its data.
    package let payload: [UInt8]
    package let effect: Effect

    /// - Parameter destination: the only ECU to ask; nil asks all. A request that reads counts as writing outside of the
    ///   diagnostic addresses: an ECU that knows no services takes it for a message of another kind.
    /// - Throws: `.length`, `.forbidden`.
    package init(payload: [UInt8], to destination: Destination?) throws(RawRequestError) {
        guard let service = payload.first, payload.count <= Self.limit else { throw .length(payload.count) }
        guard let effect = Self.effects[service] else {
            throw .forbidden(service, Self.forbidden[service] ?? "it is not among those that are known")
        }
        // Every other session is one for programming, or nobody knows what for.
        if service == 0x10, ![[0x10, 0x01], [0x10, 0x03]].contains(payload) {
            throw .forbidden(service, "only the sessions 01 and 03 are asked for")
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

    /// Why others are asked never, whatever anybody allows.
    private static let forbidden: [UInt8: String] = [
        0x11: "it resets the ECU", 0x23: "it reads memory by its address", 0x27: "it unlocks the ECU",
        0x28: "it silences the ECU on the bus", 0x29: "it unlocks the ECU", 0x34: "it programs the ECU",
        0x35: "it programs the ECU", 0x36: "it programs the ECU", 0x37: "it programs the ECU",
        0x38: "it programs the ECU", 0x3D: "it writes memory by its address",
        0x83: "it changes how the ECU keeps time", 0x85: "it stops the ECU from recording codes",
        0x87: "it changes the speed of the bus",
    ]

    /// Whether the sender wants no positive answer (ISO 14229-1, suppressPosRspMsgIndicationBit).
    package var wantsSilence: Bool { self.payload.count == 2 && self.payload[0] == 0x3E && self.payload[1] == 0x80 }

    /// What a positive answer repeats after its service byte.
    package var echo: [UInt8] {
        let data = self.payload.dropFirst()
        switch self.payload[0] {
        // Of several PIDs or identifiers any may be left out.
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

/// Why bytes are not asked.
package enum RawRequestError: Error, Hashable, Sendable {
    /// So many bytes.
    case length(Int)
    /// The service, and what is wrong with it.
    case forbidden(UInt8, String)
}

extension RawRequestError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .length(let count): "a request has 1 to \(RawRequest.limit) bytes; this has \(count)"
        case .forbidden(let service, let reason): "service \(service.hexadecimal) is never asked: \(reason)"
        }
    }
}
