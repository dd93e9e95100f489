// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A moment in UTC, to the millisecond, in the form of RFC 3339: `2026-11-21T10:00:00.120Z`.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
    package let milliseconds: Int64

    /// The range of years with four digits; other moments are clamped to it.
    private static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    package init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    package static func + (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(milliseconds: time.milliseconds + Self.milliseconds(duration))
    }

    package static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        .milliseconds(later.milliseconds - earlier.milliseconds)
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        // A thousand years either way, so that the product cannot overflow.
        return min(max(seconds, -31_536_000_000), 31_536_000_000) * 1000 + attoseconds / 1_000_000_000_000_000
    }
}

extension Timestamp: LosslessStringConvertible {
    /// Parses a time of RFC 3339 with any number of fractional digits, in UTC or with an offset.
    package init?(_ description: String) {
        var text = Substring(description)
        guard let year = text.takeNumber(4), text.take("-"), let month = text.takeNumber(2), text.take("-"),
            let day = text.takeNumber(2), text.take("T") || text.take("t"), let hour = text.takeNumber(2),
            text.take(":"), let minute = text.takeNumber(2), text.take(":"), let second = text.takeNumber(2),
            1...12 ~= month, 1...Self.days(in: month, of: year) ~= day, hour < 24, minute < 60, second < 60
        else { return nil }
        var fraction: Int64 = 0
        if text.take(".") {
            let digits = text.prefix { $0.isASCII && $0.isNumber }
            guard !digits.isEmpty else { return nil }
            text = text.dropFirst(digits.count)
            fraction = Int64(digits.prefix(3) + String(repeating: "0", count: max(0, 3 - digits.count))) ?? 0
        }
        guard let offset = text.takeOffset(), text.isEmpty else { return nil }
        let minutes = (Self.daysSince1970(year, month, day) * 24 + hour) * 60 + minute - offset
        self.init(milliseconds: (minutes * 60 + second) * 1000 + fraction)
    }

    package var description: String {
        let (days, milliseconds) = self.milliseconds.quotientAndRemainder(flooredBy: 86_400_000)
        let (year, month, day) = Self.date(daysSince1970: days)
        let (seconds, fraction) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T" + padded(seconds / 3600, 2) + ":"
            + padded(seconds / 60 % 60, 2) + ":" + padded(seconds % 60, 2) + "." + padded(fraction, 3) + "Z"
    }

    /// The year in UTC.
    package var year: Int {
        Int(Self.date(daysSince1970: self.milliseconds.quotientAndRemainder(flooredBy: 86_400_000).quotient).0)
    }

    // MARK: - The proleptic Gregorian calendar, in eras of 400 years that begin on the first of March

    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let (era, yearOfEra) = shifted.quotientAndRemainder(flooredBy: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, day) = (days + 719_468).quotientAndRemainder(flooredBy: 146_097)
        let yearOfEra = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Timestamp: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let time = Timestamp(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a time of RFC 3339")
        }
        self = time
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.description)
    }
}

private func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

extension Int64 {
    fileprivate func quotientAndRemainder(flooredBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension Substring {
    fileprivate mutating func take(_ character: Character) -> Bool {
        guard self.first == character else { return false }
        self.removeFirst()
        return true
    }

    fileprivate mutating func takeNumber(_ width: Int) -> Int64? {
        let digits = self.prefix(width)
        guard digits.utf8.count == width, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return nil
        }
        self = self.dropFirst(width)
        return Int64(digits)
    }

    /// Reads `Z` or an offset; returns minutes east of UTC.
    fileprivate mutating func takeOffset() -> Int64? {
        if self.take("Z") || self.take("z") { return 0 }
        let isEast = self.take("+")
        guard isEast || self.take("-"), let hours = self.takeNumber(2), self.take(":"),
            let minutes = self.takeNumber(2),
            hours < 24, minutes < 60
        else { return nil }
        return (isEast ? 1 : -1) * (hours * 60 + minutes)
    }
}
