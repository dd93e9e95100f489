// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// The mark of a running agent, by which the next process knows that this one died in the same boot.
///
/// A crash, the watchdog or the OOM killer leaves the mark; a power cut does not. A process that finds one records
/// before it connects, so that recording has begun even if a broker made the previous process crash.
struct RunMark: Sendable {
    private let path: String
    private let boot: String

    /// - Parameters:
    ///   - directory: the runtime directory.
    ///   - boot: the kernel's id of this boot.
    init(directory: String, boot: String) {
        self.path = "\(directory)/\(KeptFile.running)"
        self.boot = boot
    }

    /// Marks this process as running.
    ///
    /// - Returns: whether the previous process died.
    func begin() -> Bool {
        let hasDied = TextFile.read(self.path) == self.boot
        _ = TextFile.write(Array(self.boot.utf8), to: self.path, how: .replacing)
        return hasDied
    }

    /// Removes the mark, at an orderly end.
    func end() { TextFile.remove(self.path) }
}
