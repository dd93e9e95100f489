// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// Why a file is no signal set.
package enum SignalSetError: Error, Hashable, Sendable {
    /// More bytes than the limit.
    case tooLarge(limit: Int)
    case notJSON(JSONParsingError)
    /// Another value than expected at a path of the JSON.
    case unexpected(path: String, expected: String, found: String)
    /// More signals than the limit.
    case tooMany(limit: Int)
}

extension SignalSetError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLarge(let limit): "larger than \(limit) bytes"
        case .notJSON(let error): error.description
        case .unexpected(let path, let expected, let found): "\(path): expected \(expected), found \(found)"
        case .tooMany(let limit): "more than \(limit) signals"
        }
    }
}
