// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The header of a file in a tar archive.
struct TarHeader {
    /// The kinds of headers.
    enum Kind {
        case file
        /// GNU's header whose content is the name of the next file.
        case longName
        /// The header of pax whose content is attributes of the next file.
        case attributes
        case other
    }

    let name: String
    /// The size of the content, in bytes.
    let size: UInt64
    let kind: Kind

    /// Reads a block of 512 bytes; nil if its checksum is wrong.
    init?(_ block: [UInt8]) {
        guard block.count == 512, let checksum = Self.octal(block[148..<156]) else { return nil }
        let sum = block.enumerated().reduce(0) { $0 + (148..<156 ~= $1.offset ? 0x20 : UInt64($1.element)) }
        guard sum == checksum, let size = Self.octal(block[124..<136]) else { return nil }
        self.size = size
        let isUSTAR = block[257..<262].elementsEqual("ustar".utf8)
        let prefix = isUSTAR && block[262] == 0 ? Self.text(Array(block[345..<500])) : ""
        self.name = (prefix.isEmpty ? "" : prefix + "/") + Self.text(Array(block[0..<100]))
        self.kind =
            switch block[156] {
            case 0, UInt8(ascii: "0"): .file
            case UInt8(ascii: "L"): .longName
            case UInt8(ascii: "x"): .attributes
            default: .other
            }
    }

    /// Returns the text up to the first zero.
    static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Returns the attribute `path` of a pax header, whose lines read `LENGTH KEY=VALUE`; nil if it has none.
    static func path(inAttributes bytes: [UInt8]) -> String? {
        var rest = bytes[...]
        while let space = rest.firstIndex(of: 0x20),
            let length = Int(String(decoding: rest[..<space], as: UTF8.self)), length > space - rest.startIndex,
            length <= rest.count
        {
            let end = rest.startIndex + length
            let entry = rest[(space + 1)..<end]
            if entry.starts(with: "path=".utf8) {
                return String(decoding: entry.dropFirst(5).dropLast(), as: UTF8.self)
            }
            rest = rest[end...]
        }
        return nil
    }

    /// Returns an octal number with blanks and zeros around it; nil if it has another form or is too large.
    private static func octal(_ bytes: ArraySlice<UInt8>) -> UInt64? {
        let digits = bytes.drop { $0 == 0x20 }.prefix { $0 != 0 && $0 != 0x20 }
        return digits.isEmpty ? nil : UInt64(String(decoding: digits, as: UTF8.self), radix: 8)
    }
}
