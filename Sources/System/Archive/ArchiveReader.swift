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
    static let sizeLimit: UInt64 = 256 << 20
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
        Self.read([name], in: path, limit: limit) { bytes = $1 }
        return bytes
    }

    /// Calls `body` with the name and the content of each of these files, in one walk through the archive.
    ///
    /// A file that is larger than `limit`, or cannot be read, is left out. Of files with one name the first counts.
    package static func read(_ names: Set<String>, in path: String, limit: Int, _ body: (String, [UInt8]) -> Void) {
        var rest = names
        guard !rest.isEmpty else { return }
        _ = Self.walk(path) { found, size, read in
            guard rest.remove(found) != nil else { return true }
            if size <= UInt64(min(limit, Self.fileLimit)), let bytes = read(Int(size)) { body(found, bytes) }
            return !rest.isEmpty
        }
    }

    /// Opens an archive; a pipe or a device in its place is not opened, because that could block.
    private static func opened(_ path: String) -> gzFile? {
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        if unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let file = unsafe gzdopen(descriptor, "rb")
        {
            return unsafe file
        }
        _ = close(descriptor)
        return nil
    }

    /// Calls `body` with the name and the size of each regular file, and with a function that reads its content.
    ///
    /// - Parameter body: returns whether the walk goes on.
    /// - Returns: whether the archive was read to its end, or to the end that `body` set.
    private static func walk(_ path: String, _ body: (String, UInt64, (Int) -> [UInt8]?) -> Bool) -> Bool {
        guard let file = unsafe Self.opened(path) else { return false }
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
