// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension DTC {
    /// The part of the vehicle that the letter stands for.
    package enum Category: String, CaseIterable, Hashable, Sendable {
        case powertrain, chassis, body, network
    }

    /// Who says what a code means.
    package enum Authority: Hashable, Sendable {
        /// SAE J2012 and ISO 15031-6: the same for every vehicle.
        case standard
        /// The vehicle's maker: the same number means something else for another one.
        case manufacturer
        /// Nobody yet.
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

    /// Who says what the code means, by its number (SAE J2012).
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

    /// What a code of the standard means, in our words; nil where none are known, and for the codes of makers.
    package var meaning: String? {
        let range = UInt8(truncatingIfNeeded: self.rawValue >> 8)
        guard let table = CodeTable.table(of: range) else { return nil }
        return CodeTable.words(for: UInt8(truncatingIfNeeded: self.rawValue), in: table)
    }

    /// A phrase for people that there is for every code: its meaning, or else who would know it.
    package var explanation: String {
        if let meaning = self.meaning { return meaning }
        return switch self.authority {
        case .standard: "Code of the standard without a description here"
        case .manufacturer: "Code of the manufacturer: see the documentation for this vehicle"
        case .reserved: "Reserved number: no meaning is assigned to it"
        }
    }
}
