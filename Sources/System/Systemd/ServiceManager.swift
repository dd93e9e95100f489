// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSystemd
import EventLoop
import Glibc

/// The service manager (systemd), for a unit with `Type=notify` (sd_notify(3)).
package struct ServiceManager: Sendable {
    /// A notification about the state of the service.
    package enum Message: Hashable, Sendable {
        /// The service has started, or has reloaded its configuration.
        case ready
        /// The service reloads its configuration; ``ready`` follows.
        case reloading
        /// The service is stopping.
        case stopping
        /// The state in one sentence, for `systemctl status`.
        case status(String)
        /// The service works. This resets the watchdog.
        case alive
    }

    /// The watchdog's timeout for ``Message/alive``; nil without a watchdog.
    package let watchdog: Duration?
    private let send: @Sendable (String) -> Void

    /// Creates a service manager with a watchdog timeout.
    ///
    /// - Parameter send: sends a notification in the format of sd_notify(3).
    package init(watchdog: Duration?, send: @escaping @Sendable (String) -> Void) {
        self.watchdog = watchdog
        self.send = send
    }

    /// The service manager that started this process; nil if none waits for notifications.
    package static var own: ServiceManager? {
        guard environmentVariable("NOTIFY_SOCKET") != nil else { return nil }
        var microseconds: UInt64 = 0
        let isWatched = unsafe sd_watchdog_enabled(0, &microseconds) > 0
        return ServiceManager(watchdog: isWatched ? .microseconds(Int64(clamping: microseconds)) : nil) { text in
            // A notification that cannot be sent is ignored.
            _ = unsafe sd_notify(0, text)
        }
    }

    /// Sends notifications.
    package func notify(_ messages: Message...) {
        self.send(messages.map(Self.text(of:)).joined(separator: "\n"))
    }

    private static func text(of message: Message) -> String {
        switch message {
        case .ready: "READY=1"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds)"
        case .stopping: "STOPPING=1"
        // Each line is one assignment, so line breaks become spaces.
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
