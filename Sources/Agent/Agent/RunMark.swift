// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// Tells a process that the process before it died in the same boot: a crash, the watchdog, too much memory.
///
/// Such a process records before it connects: whatever a broker does to the next one, the recording has begun. A power
/// cut leaves no mark.
struct RunMark: Sendable {
    private let path: String
    private let boot: String

    /// - Parameters:
    ///   - directory: for files of our own.
    ///   - boot: the kernel's id of this boot.
    init(directory: String, boot: String) {
        self.path = "\(directory)/\(KeptFile.running)"
        self.boot = boot
    }

    /// Marks this process as running; returns whether the process before it died.
    func begin() -> Bool {
        let hasDied = TextFile.read(self.path) == self.boot
        _ = TextFile.write(Array(self.boot.utf8), to: self.path, how: .replacing)
        return hasDied
    }

    /// The agent ends in order.
    func end() { TextFile.remove(self.path) }
}
