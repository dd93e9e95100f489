// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Items of equal size behind a count, as CAN replies hold them.
enum Items {
    /// What ECUs fill up with, the bit patterns that are easy on the bus among them.
    private static let padding: [UInt8] = [0x00, 0x55, 0xAA, 0xCC, 0xFF]

    /// The bytes of the `count` items at the start of `data`.
    ///
    /// What follows them must be padding, one byte repeated, of those that ECUs fill up with: anything else means that
    /// the count is wrong, or the bytes are no reply of this layout at all.
    ///
    /// - Throws: `.wrongCount`.
    static func bytes(in data: ArraySlice<UInt8>, count: Int, size: Int) throws(DecodingError) -> ArraySlice<UInt8> {
        let rest = data.dropFirst(count * size)
        guard data.count >= count * size,
            rest.isEmpty || Self.padding.contains(where: { padding in rest.allSatisfy { $0 == padding } })
        else {
            throw .wrongCount(declared: count, present: data.count / size)
        }
        return data.prefix(count * size)
    }
}
