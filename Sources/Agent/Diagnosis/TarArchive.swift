// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A tar archive in POSIX's ustar format (IEEE 1003.1, pax, "ustar Interchange Format").
package struct TarArchive: Sendable {
    private static let block = 512
    /// The longest name of a file in bytes.
    private static let nameLimit = 100

    /// The blocks of the files, without the end of the archive.
    private var blocks: [UInt8] = []
    /// The modification time of the files, in seconds since 1970.
    private let time: Int64

    /// - Parameter time: the modification time of each file, in seconds since 1970.
    package init(time: Int64) {
        self.time = max(0, time)
    }

    /// Adds a file.
    ///
    /// Its name is cut after 100 bytes.
    package mutating func append(_ contents: [UInt8], as name: String) {
        var header = [UInt8](repeating: 0, count: Self.block)
        func put(_ bytes: some Sequence<UInt8>, at offset: Int) {
            for (index, byte) in bytes.enumerated() { header[offset + index] = byte }
        }
        func number(_ value: Int64, _ digits: Int) -> [UInt8] {
            let text = String(value, radix: 8)
            return Array(String(repeating: "0", count: max(0, digits - text.count)).utf8)
                + Array(text.utf8.suffix(digits))
        }
        put(name.utf8.prefix(Self.nameLimit), at: 0)
        put(number(0o600, 7), at: 100)
        put(number(0, 7), at: 108)
        put(number(0, 7), at: 116)
        put(number(Int64(contents.count), 11), at: 124)
        put(number(self.time, 11), at: 136)
        put([UInt8](repeating: UInt8(ascii: " "), count: 8), at: 148)
        header[156] = UInt8(ascii: "0")
        put("ustar\0".utf8, at: 257)
        put("00".utf8, at: 263)
        let sum = header.reduce(Int64(0)) { $0 + Int64($1) }
        put(number(sum, 6) + [0, UInt8(ascii: " ")], at: 148)
        let padding = (Self.block - contents.count % Self.block) % Self.block
        self.blocks += header + contents + [UInt8](repeating: 0, count: padding)
    }

    /// The whole archive.
    package var bytes: [UInt8] { self.blocks + [UInt8](repeating: 0, count: 2 * Self.block) }
}
