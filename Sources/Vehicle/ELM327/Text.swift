// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Returns the line without spaces, in capitals, for comparisons: clones insert spaces at will.
func compact(_ line: String) -> String {
    guard !isCompact(line.utf8Span.span) else { return line }
    let bytes = line.utf8.filter { $0 != UInt8(ascii: " ") }
    return String(decoding: bytes.map { isSmall($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
}

/// Whether the line is already compact.
///
/// Nearly every line is, and needs no copy.
private func isCompact(_ line: Span<UInt8>) -> Bool {
    for index in line.indices where line[index] == UInt8(ascii: " ") || isSmall(line[index]) { return false }
    return true
}

private func isSmall(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
}

/// Returns two capital hexadecimal digits.
func hexadecimal(_ byte: UInt8) -> String {
    hexadecimal(CollectionOfOne(byte))
}

/// Returns two capital hexadecimal digits for each byte.
func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
    unsafe String(unsafeUninitializedCapacity: 2 * bytes.count) { digits in
        var count = 0
        for byte in bytes {
            unsafe digits[count] = digit(byte >> 4)
            unsafe digits[count + 1] = digit(byte & 0x0F)
            count += 2
        }
        return count
    }
}

private func digit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + nibble - 10
}

/// Returns the bytes of a run of hexadecimal digits; nil if the count is odd or a character is not a digit.
func bytes(hexadecimal digits: Span<UInt8>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
        guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else { return nil }
        bytes.append(high << 4 | low)
    }
    return bytes
}

/// Returns the number of one to eight hexadecimal digits; nil for another count or a character that is not a digit.
func number(hexadecimal digits: Span<UInt8>) -> UInt32? {
    guard 1...8 ~= digits.count else { return nil }
    var number: UInt32 = 0
    for index in digits.indices {
        guard let nibble = nibble(digits[index]) else { return nil }
        number = number << 4 | UInt32(nibble)
    }
    return number
}

private func nibble(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
}

extension ArraySlice<UInt8> {
    /// Whether the slice contains the bytes of `text`.
    func contains(text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, self.count >= wanted.count else { return wanted.isEmpty }
        return (self.startIndex...(self.endIndex - wanted.count)).contains { index in
            self[index] == first && self[index...].starts(with: wanted)
        }
    }
}
