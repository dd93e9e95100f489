// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import CZlib
import Glibc

/// Reads tar archives (POSIX ustar, with the long names of GNU and pax), plain or compressed with gzip.
package enum ArchiveReader {
    private static let blockSize = 512
    /// The largest number of files in an archive.
    static let countLimit = 200_000
    /// The largest size of an archive's content, in bytes.
    static let sizeLimit: UInt64 = 2 << 30
    /// The largest file that is read, in bytes.
    private static let fileLimit = 8 << 20

    /// Returns the names of the regular files in an archive; nil if it cannot be read, or is no tar archive.
    package static func names(in path: String) -> [String]? {
        var names: [String] = []
        let isWhole = Self.walk(path) { name, _, _ in
            names.append(name)
            return true
        }
        return isWhole ? names : nil
    }

    /// Returns the content of a file in an archive; nil if there is no such file, or if it cannot be read.
    package static func bytes(of name: String, in path: String, limit: Int) -> [UInt8]? {
        var bytes: [UInt8]?
        _ = Self.walk(path) { found, size, read in
            guard found == name else { return true }
            bytes = size <= UInt64(min(limit, Self.fileLimit)) ? read(Int(size)) : nil
            return false
        }
        return bytes
    }

    /// Calls `body` with the name and the size of each regular file, and with a function that reads its content.
    ///
    /// - Parameter body: returns whether the walk goes on.
    /// - Returns: whether the archive was read to its end, or to the end that `body` set.
    private static func walk(_ path: String, _ body: (String, UInt64, (Int) -> [UInt8]?) -> Bool) -> Bool {
        guard let file = unsafe gzopen(path, "rb") else { return false }
        defer { _ = unsafe gzclose(file) }
        func read(_ count: Int) -> [UInt8]? {
            var got: Int32 = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                got = unsafe gzread(file, buffer.baseAddress, UInt32(count))
                initialized = Int(max(0, got))
            }
            return Int(got) == count ? bytes : nil
        }
        var total: UInt64 = 0
        var longName: String?
        for index in 0..<Self.countLimit {
            // The end of an archive is a block of zeros.
            guard let block = read(Self.blockSize) else { return false }
            guard block.contains(where: { $0 != 0 }) else { return index > 0 }
            guard let header = TarHeader(block), total + header.size <= Self.sizeLimit else { return false }
            total += header.size
            let padded = (header.size + UInt64(Self.blockSize) - 1) / UInt64(Self.blockSize) * UInt64(Self.blockSize)
            var consumed: UInt64 = 0
            switch header.kind {
            case .longName, .attributes:
                guard header.size <= 1 << 16, let bytes = read(Int(header.size)) else { return false }
                consumed = header.size
                longName =
                    header.kind == .longName ? TarHeader.text(bytes) : TarHeader.path(inAttributes: bytes) ?? longName
            case .file:
                let name = longName ?? header.name
                longName = nil
                let goesOn = body(name, header.size) { count in
                    consumed = UInt64(count)
                    return read(count)
                }
                if !goesOn { return true }
            case .other:
                longName = nil
            }
            guard unsafe gzseek(file, off_t(padded - consumed), SEEK_CUR) >= 0 else { return false }
        }
        return false
    }
}
