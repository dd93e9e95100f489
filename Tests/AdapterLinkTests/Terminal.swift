// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import Testing

/// A pseudo terminal: the adapter's end, and the path that a link opens.
final class Terminal: Sendable {
    let path: String
    private let ours: Locked<Int32?>

    init() {
        var ours: Int32 = -1
        var other: Int32 = -1
        var path = [CChar](repeating: 0, count: 128)
        #expect(unsafe openpty(&ours, &other, &path, nil, nil) == 0)
        close(other)
        _ = fcntl(ours, F_SETFD, FD_CLOEXEC)
        self.path = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: Int8($0)) }, as: UTF8.self)
        self.ours = Locked(ours)
    }

    deinit {
        self.hangUp()
    }

    /// Unplugs the adapter.
    func hangUp() {
        if let open = self.ours.withLock({ $0.take() }) { close(open) }
    }

    /// Sends all of `bytes`; blocks while the line is full.
    func write(_ bytes: [UInt8]) {
        let count = self.ours.withLock { ours in unsafe Glibc.write(ours ?? -1, bytes, bytes.count) }
        #expect(count == bytes.count)
    }

    /// Reads `count` bytes; blocks until they have arrived.
    func read(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < count {
            let more = self.ours.withLock { ours in unsafe Glibc.read(ours ?? -1, &buffer, buffer.count) }
            guard more > 0 else { break }
            bytes += buffer.prefix(more)
        }
        return bytes
    }

    /// Returns the settings of the line, and whether it is exclusive.
    func settings() -> (settings: termios, isExclusive: Bool) {
        let other = unsafe open(self.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(other) }
        var settings = termios()
        #expect(unsafe tcgetattr(other, &settings) == 0)
        var isExclusive: Int32 = -1
        // TIOCGEXCL, which Glibc's module lacks.
        #expect(unsafe ioctl(other, 0x8004_5440 as UInt, &isExclusive) == 0)
        return (settings, isExclusive != 0)
    }
}
