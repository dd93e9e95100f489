// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension VIN {
    /// The makes of the manufacturer, in alphabetical order; empty for an unknown manufacturer.
    ///
    /// They follow from the world manufacturer identifier, the first three characters. Several makes of one manufacturer
    /// may share an identifier.
    package var makes: [String] {
        let identifier = self.description.prefix(3)
        return ManufacturerCodes.lines.filter { $0.identifiers.contains(identifier) }.map(\.make)
    }

    /// All known makes, in alphabetical order.
    package static var knownMakes: [String] { ManufacturerCodes.lines.map(\.make) }
}
