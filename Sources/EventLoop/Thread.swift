// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A thread of our own, for what blocks.
package enum Thread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a detached thread.
    ///
    /// - Parameter name: at most 15 bytes, as `top -H` shows it.
    package static func start(named name: String, _ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let named = Body {
            unsafe CLinux_set_thread_name(name)
            body()
        }
        let argument = unsafe Unmanaged.passRetained(named).toOpaque()
        let result = unsafe pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            },
            argument
        )
        precondition(result == 0, "cannot start a thread")
        pthread_detach(thread)
    }
}
