// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// The mark of an attempt to connect to a broker, by which the next process knows that this one died in it.
///
/// The mark exists from the attempt until the connection has ended or has stood for a while. A broker that makes
/// the process crash leaves it. A power cut does not, because the mark names the boot.
struct ConnectionMark: Sendable {
    private let path: String
    private let boot: String

    /// - Parameters:
    ///   - directory: the runtime directory.
    ///   - boot: the kernel's id of this boot.
    init(directory: String, boot: String) {
        self.path = "\(directory)/\(KeptFile.connecting)"
        self.boot = boot
    }

    /// Whether the mark exists: at the start, whether the previous process died while it connected.
    var exists: Bool { TextFile.read(self.path) == self.boot }

    /// Sets the mark, or removes it.
    func set(_ isConnecting: Bool) {
        guard isConnecting else { return TextFile.remove(self.path) }
        _ = TextFile.write(Array(self.boot.utf8), to: self.path, how: .replacing)
    }
}
