// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A reading request of a manufacturer's, as the owner of the vehicle wrote it down.
package struct CustomRequest: Hashable, Sendable {
    /// The service and its data.
    package let payload: [UInt8]
    /// Whom to ask; nil asks all ECUs as SAE J1979 does.
    package let destination: Destination?

    /// The services that may be asked again and again, each with how many bytes a request of it has, and how many of
    /// them after the service its reply repeats: they read, and nothing else.
    private static let services: [UInt8: (lengths: ClosedRange<Int>, echo: Int)] = [
        0x01: (2...2, 1), 0x02: (3...3, 2), 0x05: (3...3, 2), 0x06: (2...2, 1), 0x09: (2...2, 1), 0x0A: (1...1, 0),
        0x19: (2...7, 1), 0x21: (2...7, 1), 0x22: (3...3, 2),
    ]

    /// - Throws: `.empty`, `.service`, `.length`.
    package init(payload: [UInt8], destination: Destination? = nil) throws(CustomRequestError) {
        guard let service = payload.first else { throw .empty }
        guard let rule = Self.services[service] else { throw .service(service) }
        // The extended address takes the place of a byte.
        let limit = destination?.extendedAddress == nil ? 7 : 6
        let lengths = rule.lengths.clamped(to: 1...limit)
        guard lengths.contains(payload.count) else { throw .length(service, lengths, payload.count) }
        self.payload = payload
        self.destination = destination
    }

    /// What a positive reply repeats after its service byte.
    package var echo: [UInt8] {
        Array(self.payload.dropFirst().prefix(self.payload.first.flatMap { Self.services[$0]?.echo } ?? 0))
    }
}

extension CustomRequest: Comparable {
    /// By destination, then by payload.
    package static func < (left: CustomRequest, right: CustomRequest) -> Bool {
        left.description < right.description
    }
}

extension CustomRequest: CustomStringConvertible {
    /// `7E4 22 01 01`, or without whom where that is everybody.
    package var description: String {
        (self.destination.map { "\($0.header) " } ?? "") + self.payload.hexadecimal
    }
}

/// Why bytes are not a request that may be polled.
package enum CustomRequestError: Error, Hashable, Sendable {
    case empty
    /// It may write, control or clear.
    case service(UInt8)
    /// The service, how many bytes a request of it has, and how many there are.
    case length(UInt8, ClosedRange<Int>, Int)
}

extension CustomRequestError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: return "no request; write service and data, as in \"22F190\""
        case .service(let service):
            return "service \(service.hexadecimal) is not polled; only 01, 02, 05, 06, 09, 0A, 19, 21 and 22 are, "
                + "which read and change nothing"
        case .length(let service, let lengths, let count):
            let expected =
                lengths.count == 1 ? "\(lengths.lowerBound)" : "\(lengths.lowerBound) to \(lengths.upperBound)"
            return "a request of service \(service.hexadecimal) has \(expected) bytes; this has \(count)"
        }
    }
}
