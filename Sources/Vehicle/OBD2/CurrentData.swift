// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Takes replies to services 01 and 02 apart.
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
    ///   - frame: the freeze frame whose number follows each PID in service 02; nil for service 01.
    /// - Throws: `.empty`, `.unexpectedPID`, `.unknownPID`, `.unknownLength`, `.wrongLength` if the tail is cut off,
    ///   `.ambiguous` if there are two exact readings.
    package static func walk(
        _ data: [UInt8],
        requested: Set<PID>?,
        frame: UInt8? = nil
    ) throws(DecodingError) -> [(pid: PID, data: [UInt8])] {
        guard !data.isEmpty else { throw .empty }
        var walk = Walk(data: data, requested: requested, frame: frame)
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
        let frame: UInt8?
        var readings: [[Part]] = []
        /// What stopped the first reading that failed.
        var failure: DecodingError?

        mutating func read(from start: Int, seen: [Part]) {
            guard start < self.data.count else {
                self.readings.append(seen)
                return
            }
            let pid = PID(rawValue: self.data[start])
            let head = self.frame == nil ? 1 : 2
            let left = self.data.count - start - head
            if let frame, left < 0 || self.data[start + 1] != frame {
                return self.fail(.wrongEcho(expected: [frame], actual: Array(self.data.dropFirst(start + 1).prefix(1))))
            }
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
                self.readings.append(seen + [(pid, start + head..<self.data.count)])
                return
            }
            guard length.lowerBound <= left else {
                return self.fail(.wrongLength(expected: length, actual: left))
            }
            for count in length where count <= left && self.readings.count < 2 {
                let end = start + head + count
                self.read(from: end, seen: seen + [(pid, start + head..<end)])
            }
        }

        private mutating func fail(_ error: DecodingError) {
            self.failure = self.failure ?? error
        }
    }
}
