// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The grammar of TOML's dates and times (RFC 3339, section 5.6).
enum DateTime {
    /// Whether `bytes` are a date such as `2026-11-21`, of a day that exists.
    static func isDate(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        return Self.takeDate(&rest) && rest.isEmpty
    }

    /// Whether `bytes` are a date, a time, or a date and a time with or without an offset.
    static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        guard Self.takeDate(&rest) else { return Self.takeTime(&rest) && rest.isEmpty }
        guard !rest.isEmpty else { return true }
        guard Self.take("T", "t", " ", from: &rest), Self.takeTime(&rest) else { return false }
        return Self.takeOffset(&rest) && rest.isEmpty
    }

    private static func takeDate(_ bytes: inout ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        guard let year = Self.takeNumber(4, &rest), Self.take("-", from: &rest),
            let month = Self.takeNumber(2, &rest), Self.take("-", from: &rest),
            let day = Self.takeNumber(2, &rest), (1...12).contains(month)
        else { return false }
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
        guard (1...days).contains(day) else { return false }
        bytes = rest
        return true
    }

    private static func takeTime(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let hour = Self.takeNumber(2, &rest), Self.take(":", from: &rest),
            let minute = Self.takeNumber(2, &rest), Self.take(":", from: &rest),
            // A leap second has the number 60.
            let second = Self.takeNumber(2, &rest), hour < 24, minute < 60, second <= 60
        else { return false }
        guard Self.take(".", from: &rest) else { return true }
        let fraction = rest.prefix(while: \.isDigit)
        rest = rest[fraction.endIndex...]
        return !fraction.isEmpty
    }

    /// Takes an offset from UTC, which may be absent.
    private static func takeOffset(_ rest: inout ArraySlice<UInt8>) -> Bool {
        if rest.isEmpty || Self.take("Z", "z", from: &rest) { return true }
        guard Self.take("+", "-", from: &rest), let hour = Self.takeNumber(2, &rest), Self.take(":", from: &rest),
            let minute = Self.takeNumber(2, &rest)
        else { return false }
        return hour < 24 && minute < 60
    }

    private static func take(_ characters: Unicode.Scalar..., from rest: inout ArraySlice<UInt8>) -> Bool {
        guard let byte = rest.first, characters.contains(Unicode.Scalar(byte)) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func takeNumber(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(\.isDigit) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
