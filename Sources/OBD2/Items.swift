// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Items of equal size behind a count, as CAN replies hold them.
enum Items {
    /// The bytes of the `count` items at the start of `data`.
    ///
    /// What follows them must be padding, one byte repeated: anything else means that the count is wrong, or the
    /// bytes are no reply of this layout at all.
    ///
    /// - Throws: `.wrongCount`.
    static func bytes(in data: ArraySlice<UInt8>, count: Int, size: Int) throws(DecodingError) -> ArraySlice<UInt8> {
        let rest = data.dropFirst(count * size)
        guard data.count >= count * size, rest.allSatisfy({ $0 == rest.first }) else {
            throw .wrongCount(declared: count, present: data.count / size)
        }
        return data.prefix(count * size)
    }
}
