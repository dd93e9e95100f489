// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The splitting of replies to services 01 and 02 into the data of their PIDs.
package enum CurrentData {
    /// Returns the data of each PID in a reply, in the order of the reply.
    ///
    /// A reply to several PIDs has no separators, so the lengths of the catalogue decide where the data of a PID end.
    /// Some lengths are variable: 06-09 and 55-58 may have a second byte for banks 3 and 4. Then the reading that uses
    /// up the whole message counts. One error in the reply rejects all of it.
    ///
    /// - Parameters:
    ///   - data: the bytes after the service byte.
    ///   - requested: the requested PIDs; nil accepts any PID.
    ///   - frame: the freeze frame whose number follows each PID in service 02; nil for service 01.
    /// - Throws: `.empty`, `.unexpectedPID`, `.unknownPID`, `.unknownLength`, `.wrongLength` if the end is missing,
    ///   `.ambiguous` if the message can be split into PIDs in two ways.
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

    /// The search for readings that use up the whole message.
    ///
    /// At most eight PIDs have a variable length, and no PID appears twice.
    private struct Walk {
        typealias Part = (pid: PID, range: Range<Int>)

        let data: [UInt8]
        let requested: Set<PID>?
        let frame: UInt8?
        var readings: [[Part]] = []
        /// The error of the first reading that failed.
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
                // The rest of the message belongs to this PID if no other PID can follow.
                let others = self.requested?.subtracting(seen.map(\.pid)).subtracting([pid])
                guard others?.isEmpty == true, left > 0 else { return self.fail(.unknownLength(pid)) }
                self.readings.append(seen + [(pid, start + head..<self.data.count)])
                return
            }
            guard length.lowerBound <= left else {
                return self.fail(.wrongLength(expected: length, actual: left))
            }
            for count in length where count <= left && parameter.allows(count) && self.readings.count < 2 {
                let end = start + head + count
                self.read(from: end, seen: seen + [(pid, start + head..<end)])
            }
        }

        private mutating func fail(_ error: DecodingError) {
            self.failure = self.failure ?? error
        }
    }
}
