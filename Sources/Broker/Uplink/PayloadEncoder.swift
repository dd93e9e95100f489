// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// Encodes payloads as JSON with sorted keys, so that equal payloads are equal bytes.
enum PayloadEncoder {
    /// - Throws: `EncodingError` if a number is infinite or NaN.
    static func bytes(of value: some Encodable) throws -> [UInt8] {
        Array(try JSON(encoding: value).text.utf8)
    }
}
