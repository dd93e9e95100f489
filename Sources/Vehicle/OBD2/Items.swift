// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The decoding of items of equal size after a count, the layout of CAN replies.
enum Items {
    /// The bytes that ECUs use for padding, among them bit patterns without long runs of equal bits.
    private static let padding: [UInt8] = [0x00, 0x55, 0xAA, 0xCC, 0xFF]

    /// Returns the bytes of the `count` items at the start of `data`.
    ///
    /// Only padding may follow the items: one of the usual padding bytes, repeated. Any other rest means that the count
    /// is wrong, or that the bytes have another layout.
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
