// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// Parameters of the engine's ECU that count instead of measuring: each reply has the next number.
///
/// So a number that was read tells which reply it was in. After 65,535 comes 0.
package struct Ramp: Hashable, Sendable {
    /// The parameters of two bytes whose unit is one: times and distances.
    package static let pids: [PID] = [0x1F, 0x21, 0x31, 0x4D, 0x4E]

    private var next: [PID: UInt16]

    /// - Parameter start: the first number of each parameter.
    package init(from start: UInt16) {
        self.next = Dictionary(uniqueKeysWithValues: Self.pids.map { ($0, start) })
    }

    /// The data that a reply has now; nil of what does not count.
    func data(of pid: PID) -> [UInt8]? {
        self.next[pid].map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    /// What these PIDs tell was sent.
    mutating func sent(_ pids: some Sequence<UInt8>) {
        for pid in pids { self.next[PID(rawValue: pid)]? &+= 1 }
    }
}
