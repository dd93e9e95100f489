// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension DTC {
    /// The part of the vehicle that the letter stands for.
    package enum Category: String, CaseIterable, Hashable, Sendable {
        case powertrain, chassis, body, network
    }

    /// The source of a code's definition.
    package enum Authority: Hashable, Sendable {
        /// SAE J2012 and ISO 15031-6: the code means the same in every vehicle.
        case standard
        /// The vehicle's manufacturer: the code can mean something else in the vehicle of another manufacturer.
        case manufacturer
        /// No source yet: the number is reserved.
        case reserved
    }

    package var category: Category {
        switch self.rawValue >> 14 {
        case 0: .powertrain
        case 1: .chassis
        case 2: .body
        default: .network
        }
    }

    /// The source of the code's definition, by its number (SAE J2012).
    package var authority: Authority {
        switch (self.category, self.rawValue >> 12 & 3) {
        case (_, 0): .standard
        case (.powertrain, 1), (.chassis, 1...2), (.body, 1...2), (.network, 1...2): .manufacturer
        case (.powertrain, 2), (.network, _): .standard
        case (.powertrain, _):
            switch self.rawValue & 0xFFF {
            case ..<0x400: .manufacturer
            case ..<0xA00: .standard
            default: .reserved
            }
        default: .reserved
        }
    }

    /// The meaning of a code of the standard, in our words; nil for unknown and for manufacturers' codes.
    package var meaning: String? {
        let range = UInt8(truncatingIfNeeded: self.rawValue >> 8)
        guard let table = CodeTable.table(of: range) else { return nil }
        return CodeTable.meaning(of: UInt8(truncatingIfNeeded: self.rawValue), in: table)
    }

    /// A phrase for people: the code's meaning or, if that is unknown, where to look it up.
    package var explanation: String {
        if let meaning = self.meaning { return meaning }
        return switch self.authority {
        case .standard: "Code of the standard without a description here"
        case .manufacturer: "Code of the manufacturer: see the documentation for this vehicle"
        case .reserved: "Reserved number: no meaning is assigned to it"
        }
    }
}
