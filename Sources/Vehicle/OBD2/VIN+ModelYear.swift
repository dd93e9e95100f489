// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension VIN {
    /// Returns the latest model year that the tenth character can mean; nil if it does not tell the model year.
    ///
    /// The codes repeat after 30 years. In North America the seventh character of a car tells the cycle: a digit up to
    /// 2009, a letter from 2010 on (49 CFR 565.15). The rule is not for heavy trucks, so a year before 1996, in which
    /// no vehicle had OBD-II, is not taken from it.
    ///
    /// - Parameter latest: the last possible model year, which is usually the year after the present one.
    package func modelYear(notAfter latest: Int) -> Int? {
        let bytes = self.bytes
        guard let index = Self.yearCodes.firstIndex(of: bytes[9]) else { return nil }
        if Self.identifiersWithoutYear.contains(self.description.prefix(3)), !self.hasMatchingCheckDigit { return nil }
        let candidates = stride(from: 1980 + index, through: latest, by: Self.yearCodes.count)
        if Self.isNorthAmerican(bytes[0]) {
            let isOfSecondCycle = !Self.isDigit(bytes[6])
            let year = candidates.first { ($0 >= 2010) == isOfSecondCycle }
            if let year, year >= Self.firstYear { return year }
        }
        return candidates.max()
    }

    /// The codes of the model years from 1980 on.
    private static let yearCodes = Array("ABCDEFGHJKLMNPRSTVWXY123456789".utf8)
    private static let firstYear = 1996

    /// The identifiers of manufacturers that put something else into the tenth character of vehicles for Europe.
    ///
    /// Their vehicles for North America have the model year there, and a matching check digit.
    private static let identifiersWithoutYear: Set<Substring> = [
        "JMZ", "NM0", "SFA", "UU1", "VF1", "VF3", "VF6", "VF7", "VF8", "VR1", "VR3", "VR7", "VS6", "VXE", "VXF", "VXK",
        "W1K", "W1N", "W1V", "WDB", "WDC", "WDD", "WDF", "WF0", "WME", "XLC",
    ]

    private static func isNorthAmerican(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(byte) || byte == UInt8(ascii: "7")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
