// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// Parameters of the engine's ECU that count replies instead of measuring.
///
/// Each reply carries the next number, so a received value identifies its reply. After 65,535 comes 0.
package struct Ramp: Hashable, Sendable {
    /// The counting parameters: times and distances of two bytes, with a resolution of 1.
    package static let pids: [PID] = [0x1F, 0x21, 0x31, 0x4D, 0x4E]

    private var next: [PID: UInt16]

    /// - Parameter start: the first number of each parameter.
    package init(from start: UInt16) {
        self.next = Dictionary(uniqueKeysWithValues: Self.pids.map { ($0, start) })
    }

    /// Returns the data of the next reply; nil if the parameter does not count.
    func data(of pid: PID) -> [UInt8]? {
        self.next[pid].map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    /// Advances the counters of these PIDs after a reply that carried them.
    mutating func advance(_ pids: some Sequence<UInt8>) {
        for pid in pids { self.next[PID(rawValue: pid)]? &+= 1 }
    }
}
