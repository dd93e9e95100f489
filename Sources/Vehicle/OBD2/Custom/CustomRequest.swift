// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A reading request that the configuration defines, such as a manufacturer's own.
package struct CustomRequest: Hashable, Sendable {
    /// The service and its data.
    package let payload: [UInt8]
    /// The ECU to ask; nil for all ECUs, as in SAE J1979.
    package let destination: Destination?

    /// The services that may be polled, because they only read.
    ///
    /// Each has the allowed lengths of a request in bytes, and the number of bytes after the service byte that a reply
    /// repeats.
    private static let services: [UInt8: (lengths: ClosedRange<Int>, echo: Int)] = [
        0x01: (2...2, 1), 0x02: (3...3, 2), 0x05: (3...3, 2), 0x06: (2...2, 1), 0x09: (2...2, 1), 0x0A: (1...1, 0),
        0x19: (2...7, 1), 0x21: (2...7, 1), 0x22: (3...3, 2),
    ]

    /// - Throws: `.empty`, `.service`, `.length`.
    package init(payload: [UInt8], destination: Destination? = nil) throws(CustomRequestError) {
        guard let service = payload.first else { throw .empty }
        guard let rule = Self.services[service] else { throw .service(service) }
        // The extended address takes one byte of the frame.
        let limit = destination?.extendedAddress == nil ? 7 : 6
        let lengths = rule.lengths.clamped(to: 1...limit)
        guard lengths.contains(payload.count) else { throw .length(service, lengths, payload.count) }
        self.payload = payload
        self.destination = destination
    }

    /// The bytes that a positive reply repeats after its service byte.
    package var echo: [UInt8] {
        Array(self.payload.dropFirst().prefix(self.payload.first.flatMap { Self.services[$0]?.echo } ?? 0))
    }
}

extension CustomRequest: Comparable {
    /// Orders requests by destination, then by payload.
    package static func < (left: CustomRequest, right: CustomRequest) -> Bool {
        left.description < right.description
    }
}

extension CustomRequest: CustomStringConvertible {
    /// The header and the payload, as in `7E4 22 01 01`; a request to all ECUs has no header.
    package var description: String {
        (self.destination.map { "\($0.header) " } ?? "") + self.payload.hexadecimal
    }
}

/// The reason why bytes are not a request that may be polled.
package enum CustomRequestError: Error, Hashable, Sendable {
    case empty
    /// The service may change the vehicle.
    case service(UInt8)
    /// A request of this service has one of these lengths, and not this one.
    case length(UInt8, ClosedRange<Int>, Int)
}

extension CustomRequestError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: return "the request is empty. Try: a service and its data, as in \"22F190\""
        case .service(let service):
            return "service \(service.hexadecimal) cannot be polled: it may change the vehicle. "
                + "Try: a service that only reads, one of 01, 02, 05, 06, 09, 0A, 19, 21 and 22"
        case .length(let service, let lengths, let count):
            let expected =
                lengths.count == 1 ? "\(lengths.lowerBound)" : "\(lengths.lowerBound) to \(lengths.upperBound)"
            return "expected a request of \(expected) bytes for service \(service.hexadecimal), found \(count)"
        }
    }
}
