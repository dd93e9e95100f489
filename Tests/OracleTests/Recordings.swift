// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CZlib
import FoundationEssentials
import Testing

/// The folder with recorded replies of real vehicles: `obdb/` and `j1939/`.
///
/// The recordings are under licenses of their own, so they are no part of this repository.
enum Recordings {
    /// The environment variable with the path of the folder.
    private static let variable = "OBD_AGENT_RECORDINGS"

    /// The reason for which a test without recordings is left out.
    static let hint: Comment = "left out: no recordings. Try: OBD_AGENT_RECORDINGS=DIR, see CONTRIBUTING.md"

    /// The path of the folder; nil if the variable is not set and no folder `shared` lies beside or above the checkout.
    private static let folder: String? = {
        if let path = ProcessInfo.processInfo.environment[Self.variable] { return path }
        var folders = #filePath.split(separator: "/").dropLast()
        while !folders.isEmpty {
            let path = "/\(folders.joined(separator: "/"))/shared"
            if FileManager.default.fileExists(atPath: "\(path)/obdb") { return path }
            folders.removeLast()
        }
        return nil
    }()

    /// Whether there are recordings.
    ///
    /// A folder that the variable names has to be there: a test fails if a file in it cannot be read.
    static let areThere = Self.folder != nil

    /// Returns the bytes of a file.
    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: Self.path(path))))
    }

    /// Whether the folder has a file.
    static func has(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: Self.path(path))
    }

    /// Returns the lines of a text file that gzip has compressed.
    static func lines(_ path: String) throws -> [String] {
        try Self.expanded(path).split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the path of a file or folder.
    static func path(_ path: String) -> String { "\(Self.folder ?? "")/\(path)" }

    /// Returns the content of a file that gzip has compressed.
    private static func expanded(_ path: String) throws -> [UInt8] {
        guard let file = unsafe gzopen(Self.path(path), "rb") else { throw CocoaError(.fileReadNoSuchFile) }
        defer { unsafe gzclose(file) }
        var content: [UInt8] = []
        while true {
            let part = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
                count = max(0, Int(unsafe gzread(file, buffer.baseAddress, UInt32(buffer.count))))
            }
            content += part
            guard !part.isEmpty else { break }
        }
        return content
    }
}
