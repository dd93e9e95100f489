// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Takes replies to service 01 apart.
package enum CurrentData {
    /// The data of each PID in a reply, in its order.
    ///
    /// A reply to several PIDs has no separators, so the lengths of the catalogue tell where each one ends. Where a
    /// length is open (06-09 and 55-58 have a second byte for banks 3 and 4), that reading counts which uses up the
    /// message exactly. Nothing is returned of a reply that is wrong anywhere.
    ///
    /// - Parameters:
    ///   - data: what follows the service byte.
    ///   - requested: the PIDs that were asked for; nil takes any.
    /// - Throws: `.empty`, `.unexpectedPID`, `.unknownPID`, `.unknownLength`, `.wrongLength` if the tail is cut off,
    ///   `.ambiguous` if there are two exact readings.
    package static func walk(
        _ data: [UInt8],
        requested: Set<PID>?
    ) throws(DecodingError) -> [(pid: PID, data: [UInt8])] {
        guard !data.isEmpty else { throw .empty }
        var walk = Walk(data: data, requested: requested)
        walk.read(from: 0, seen: [])
        if walk.readings.count > 1 { throw .ambiguous }
        if let reading = walk.readings.first {
            return reading.map { ($0.pid, Array(data[$0.range])) }
        }
        throw walk.failure ?? .ambiguous
    }

    /// The search for exact readings; at most eight PIDs have an open length, and none comes twice.
    private struct Walk {
        typealias Part = (pid: PID, range: Range<Int>)

        let data: [UInt8]
        let requested: Set<PID>?
        var readings: [[Part]] = []
        /// What stopped the first reading that failed.
        var failure: DecodingError?

        mutating func read(from start: Int, seen: [Part]) {
            guard start < self.data.count else {
                self.readings.append(seen)
                return
            }
            let pid = PID(rawValue: self.data[start])
            let left = self.data.count - start - 1
            guard self.requested?.contains(pid) ?? true, !seen.contains(where: { $0.pid == pid }) else {
                return self.fail(.unexpectedPID(pid))
            }
            guard let parameter = Parameter.withPID(pid) else {
                return self.fail(.unknownPID(pid))
            }
            guard let length = parameter.length else {
                // All that is left is its own if nothing else can follow.
                let others = self.requested?.subtracting(seen.map(\.pid)).subtracting([pid])
                guard others?.isEmpty == true, left > 0 else { return self.fail(.unknownLength(pid)) }
                self.readings.append(seen + [(pid, start + 1..<self.data.count)])
                return
            }
            guard length.lowerBound <= left else {
                return self.fail(.wrongLength(expected: length, actual: left))
            }
            for count in length where count <= left && self.readings.count < 2 {
                let end = start + 1 + count
                self.read(from: end, seen: seen + [(pid, start + 1..<end)])
            }
        }

        private mutating func fail(_ error: DecodingError) {
            self.failure = self.failure ?? error
        }
    }
}
