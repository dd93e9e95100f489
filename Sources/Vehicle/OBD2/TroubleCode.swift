// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A diagnostic trouble code in the form of its dialect.
package enum TroubleCode: Hashable, Sendable {
    /// A code of two bytes (SAE J2012): `P0301`.
    case j2012(DTC)
    /// A code of three bytes (ISO 15031-6, SAE J2012-DA), of which the third is the failure type: `P0301-1F`.
    case j2012Failure(DTC, type: UInt8)
    /// A code of SAE J1939-73, the parameter and its failure mode: `SPN110-FMI0`.
    case j1939(SPN, FMI)

    /// The code's two bytes of SAE J2012; nil for a code of J1939.
    package var dtc: DTC? {
        switch self {
        case .j2012(let dtc), .j2012Failure(let dtc, _): dtc
        case .j1939: nil
        }
    }
}

extension TroubleCode {
    /// The first byte of ``bytes``: a format identifier of ISO 14229-1, or FF for a code of two bytes.
    private enum Form: UInt8 {
        case j2012Failure = 0x00
        case j1939 = 0x02
        case j2012 = 0xFF
    }

    /// The code in four bytes: the form, then the code as on the bus, padded with zeros.
    package var bytes: [UInt8] {
        switch self {
        case .j2012(let dtc): [Form.j2012.rawValue] + dtc.bytes + [0]
        case .j2012Failure(let dtc, let type): [Form.j2012Failure.rawValue] + dtc.bytes + [type]
        case .j1939(let spn, let fmi):
            [
                Form.j1939.rawValue, UInt8(truncatingIfNeeded: spn.rawValue),
                UInt8(truncatingIfNeeded: spn.rawValue >> 8),
                UInt8(truncatingIfNeeded: spn.rawValue >> 16) << 5 | fmi.rawValue,
            ]
        }
    }

    /// Reads the form of ``bytes``; nil for any other form or length.
    package init?(bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == 4, let form = Form(rawValue: bytes[0]) else { return nil }
        switch form {
        case .j2012: self = .j2012(DTC(bytes[1], bytes[2]))
        case .j2012Failure: self = .j2012Failure(DTC(bytes[1], bytes[2]), type: bytes[3])
        case .j1939:
            let spn = UInt32(bytes[1]) | UInt32(bytes[2]) << 8 | UInt32(bytes[3] >> 5) << 16
            self = .j1939(SPN(rawValue: spn), FMI(rawValue: bytes[3]))
        }
    }
}

extension TroubleCode: Comparable {
    package static func < (left: TroubleCode, right: TroubleCode) -> Bool {
        left.order < right.order
    }

    private var order: UInt64 {
        switch self {
        case .j2012(let dtc): UInt64(dtc.rawValue) << 16
        case .j2012Failure(let dtc, let type): UInt64(dtc.rawValue) << 16 | UInt64(type) + 1
        case .j1939(let spn, let fmi): 1 << 40 | UInt64(spn.rawValue) << 8 | UInt64(fmi.rawValue)
        }
    }
}

extension TroubleCode: LosslessStringConvertible {
    /// Parses `P0301`, `P0301-1F` or `SPN110-FMI0`, in upper or lower case.
    package init?(_ description: String) {
        let parts = description.uppercased().split(separator: "-", omittingEmptySubsequences: false)
        switch parts.count {
        case 1:
            guard let dtc = DTC(String(parts[0])) else { return nil }
            self = .j2012(dtc)
        case 2 where parts[0].hasPrefix("SPN"):
            guard parts[1].hasPrefix("FMI"), let spn = Self.number(parts[0].dropFirst(3), 0x7_FFFF),
                let fmi = Self.number(parts[1].dropFirst(3), 0x1F)
            else { return nil }
            self = .j1939(SPN(rawValue: spn), FMI(rawValue: UInt8(truncatingIfNeeded: fmi)))
        case 2:
            guard let dtc = DTC(String(parts[0])), parts[1].utf8.count == 2, parts[1].allSatisfy(\.isHexDigit),
                let type = UInt8(parts[1], radix: 16)
            else { return nil }
            self = .j2012Failure(dtc, type: type)
        default:
            return nil
        }
    }

    package var description: String {
        switch self {
        case .j2012(let dtc): dtc.description
        case .j2012Failure(let dtc, let type): "\(dtc)-\(type.hexadecimal)"
        case .j1939(let spn, let fmi): "SPN\(spn)-FMI\(fmi)"
        }
    }

    private static func number(_ digits: Substring, _ limit: UInt32) -> UInt32? {
        guard let number = UInt32(digits), digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), number <= limit else {
            return nil
        }
        return number
    }
}
