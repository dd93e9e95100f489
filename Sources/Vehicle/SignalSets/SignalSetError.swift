// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The reason why a file is not a valid signal set.
package enum SignalSetError: Error, Hashable, Sendable {
    /// The file has more bytes than the limit.
    case tooLarge(limit: Int)
    case notJSON(JSONParsingError)
    /// The value at a path of the JSON is not of the expected form.
    case unexpected(path: String, expected: String, found: String)
    /// A line of a DBC file is not of the expected form.
    case line(Int, expected: String)
    /// The file has no frames.
    case noFrames
    /// The file has more signals than the limit.
    case tooMany(limit: Int)
}

extension SignalSetError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLarge(let limit): "the file has more than \(limit) bytes"
        case .notJSON(let error): error.description
        case .unexpected(let path, let expected, let found): "\(path): expected \(expected), found \(found)"
        case .line(let number, let expected): "line \(number): expected \(expected)"
        case .noFrames: "the file has no line that begins with BO_, so it is no DBC file"
        case .tooMany(let limit): "the file has more than \(limit) signals"
        }
    }
}
