// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

extension TroubleCode {
    /// A phrase for people: the code's meaning or, if that is unknown, where to look it up.
    package var explanation: String {
        switch self {
        case .j2012(let code): return code.explanation
        case .j2012Failure(let code, 0): return code.explanation
        case .j2012Failure(let code, let type):
            return "\(code.explanation) (\(FailureType.meaning(of: type) ?? "failure type \(type.hexadecimal)"))"
        case .j1939(let spn, let fmi):
            let origin = spn.isManufacturerSpecific ? " of the manufacturer" : ""
            return "\(spn.name ?? "Parameter \(spn)\(origin)"): \(fmi.meaning)"
        }
    }
}

extension SPN {
    /// Whether the manufacturer defines the number (SAE J1939, 520192 and above).
    fileprivate var isManufacturerSpecific: Bool { self.rawValue >= 0x7_F000 }
}
