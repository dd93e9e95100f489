// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc

/// systemd, where it waits to hear how the service is: `Type=notify` in its unit (sd_notify(3)).
package struct ServiceManager: Sendable {
    /// What a service says of itself.
    package enum Message: Hashable, Sendable {
        /// It has started, or has read its configuration again.
        case ready
        /// It reads its configuration again; ``ready`` follows.
        case reloading
        /// It ends.
        case stopping
        /// How it is, in a sentence, for `systemctl status`.
        case status(String)
        /// All of it works: the watchdog is fed.
        case alive
    }

    /// How long the watchdog waits for ``Message/alive``; nil where nobody waits for it.
    package let watchdog: Duration?
    private let send: @Sendable (String) -> Void

    /// - Parameter send: takes what is said, as sd_notify(3) spells it.
    package init(watchdog: Duration?, send: @escaping @Sendable (String) -> Void) {
        self.watchdog = watchdog
        self.send = send
    }

    /// The one that has started this process; nil where none waits for anything.
    package static var own: ServiceManager? {
        guard unsafe getenv("NOTIFY_SOCKET") != nil else { return nil }
        var microseconds: UInt64 = 0
        let isWatched = unsafe sd_watchdog_enabled(0, &microseconds) > 0
        return ServiceManager(watchdog: isWatched ? .microseconds(Int64(clamping: microseconds)) : nil) { text in
            // Nobody to tell is no reason to end.
            _ = unsafe sd_notify(0, text)
        }
    }

    /// Says something.
    package func tell(_ messages: Message...) {
        self.send(messages.map(Self.text(of:)).joined(separator: "\n"))
    }

    private static func text(of message: Message) -> String {
        switch message {
        case .ready: "READY=1"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds)"
        case .stopping: "STOPPING=1"
        // A line is a message.
        case .status(let sentence): "STATUS=" + String(sentence.prefix(400).map { $0.isNewline ? " " : $0 })
        case .alive: "WATCHDOG=1"
        }
    }

    private static var monotonicMicroseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
