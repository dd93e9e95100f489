// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The reason why a file is not written.
package enum FileProblem: Error, Hashable, Sendable {
    /// The file exists, and may not be replaced.
    case exists
    /// There is something else than a regular file, such as `a device`.
    case notRegular(String)
    /// The file has more names, so it may be another user's file.
    case hasOtherNames
    /// Another process writes the draft, or another user has put a file in its place.
    case draftInUse
    /// The operating system refuses; the error number.
    case system(Int32)
}

extension FileProblem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .exists: "it exists already"
        case .notRegular(let kind): "it is \(kind), and no regular file"
        case .hasOtherNames: "the file has hard links"
        case .draftInUse: "another process uses its draft"
        case .system(let number): unsafe String(cString: strerror(number))
        }
    }
}
