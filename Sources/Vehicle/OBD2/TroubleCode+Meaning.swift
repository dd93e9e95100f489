// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

extension TroubleCode {
    /// A phrase for people that there is for every code: what it means, or else who would know it.
    package var explanation: String {
        switch self {
        case .j2012(let code): return code.explanation
        case .j2012Failure(let code, 0): return code.explanation
        case .j2012Failure(let code, let type):
            return "\(code.explanation) (\(FailureType.words(type) ?? "failure type \(type.hexadecimal)"))"
        case .j1939(let spn, let fmi):
            let name = spn.name ?? (spn.isManufacturers ? "Parameter \(spn) of the manufacturer" : "Parameter \(spn)")
            return "\(name): \(fmi.words)"
        }
    }
}

extension SPN {
    /// Whether the number is one of those that makers give out themselves (SAE J1939, 520192 and above).
    fileprivate var isManufacturers: Bool { self.rawValue >= 0x7_F000 }
}
