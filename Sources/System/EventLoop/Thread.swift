// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Starts threads for work that blocks, which must not run on a thread of Swift.
package enum Thread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a detached thread, and ends the process if the system cannot start one.
    ///
    /// - Parameter name: the name of the thread, at most 15 bytes, as `top -H` shows it.
    package static func start(named name: String, _ body: @escaping @Sendable () -> Void) {
        precondition(Self.tryStart(named: name, body), "cannot start a thread")
    }

    /// Starts a detached thread; returns false if the system cannot start one.
    ///
    /// - Parameter name: the name of the thread, at most 15 bytes, as `top -H` shows it.
    package static func tryStart(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        // The thread takes no signals of the process, and a broken pipe is an error code. It takes only its own faults.
        var blocked = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&blocked)
        for fault in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { unsafe sigdelset(&blocked, fault) }
        unsafe pthread_sigmask(SIG_SETMASK, &blocked, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }

        let named = unsafe Unmanaged.passRetained(
            Body {
                unsafe CLinux_set_thread_name(name)
                body()
            }
        )
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            },
            named.toOpaque()
        )
        guard result == 0 else {
            unsafe named.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
