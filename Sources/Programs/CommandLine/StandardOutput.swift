// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import EventLoop
import Glibc

/// Standard output, whose first failure ends the command with an exit status of its own.
///
/// A write does not throw, so that a command can print in any place. ``check()`` throws its failure afterwards.
package enum StandardOutput {
    private struct State {
        /// The error number of the write that failed.
        var failure: Int32?
        /// Whether an error about the failure was thrown.
        var isReported = false
    }

    static let descriptor: Int32 = 1
    /// The terminal that is standard output, opened anew: writes to it do not block, and the shell's own stay as they are.
    ///
    /// Nil if standard output is none, or if the user may not open it.
    private static let terminal: Int32? = {
        guard isatty(Self.descriptor) == 1 else { return nil }
        let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let opened = unsafe open("/proc/self/fd/\(Self.descriptor)", flags)
        return opened >= 0 ? opened : nil
    }()
    private static let state = Locked(State())
    /// The time from which no write waits for the reader; nil while the command is to go on.
    private static let end = Locked<MonotonicTime?>(nil)
    /// The time that a reader has for what is left once the command is to end.
    private static let patience = Duration.seconds(1)

    /// Lets a reader that has stopped to read hold the command up for a second only, because it is to end.
    static func commandEnds() {
        let now = BootClock().now
        Self.end.withLock { $0 = $0 ?? (now + Self.patience) }
    }

    /// Reserves the descriptors of standard input, output and error where the process got none.
    ///
    /// A file or a connection that is opened later would otherwise get the results. A write to a reserved standard output
    /// fails.
    static func reserve() {
        for descriptor in 0...2 as ClosedRange<Int32> where fcntl(descriptor, F_GETFD) == -1 {
            _ = unsafe open("/dev/null", descriptor == 2 ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes bytes; after the first failure, all that follow are dropped.
    static func write(_ bytes: [UInt8]) {
        Self.state.withLock { state in
            guard state.failure == nil else { return }
            state.failure = Descriptor.write(bytes, to: Self.terminal ?? Self.descriptor) {
                Self.end.withLock { $0.map { BootClock().now >= $0 } ?? false }
            }
        }
    }

    /// Throws the failure of a write, once.
    ///
    /// A reader that has closed its pipe is no news to the user: the command then ends as if by SIGPIPE, silently.
    /// Commands that print for a long time call this after each message; every command ends with a call.
    package static func check() throws {
        let failure = Self.state.withLock { state -> Int32? in
            guard let failure = state.failure, !state.isReported else { return nil }
            state.isReported = true
            return failure
        }
        guard let failure else { return }
        guard failure != EPIPE else { throw Self.closed }
        throw OutputFile.failure("standard output", .system(failure), .inputOutput)
    }

    /// Throws the failure of a write, or that the reader of a pipe has closed it although nothing was written since.
    ///
    /// A command that waits for a long time between two lines calls this now and then: no write tells it that it is alone.
    package static func checkReader() throws {
        try Self.check()
        var entry = pollfd(fd: Self.descriptor, events: 0, revents: 0)
        guard unsafe poll(&entry, 1, 0) == 1, entry.revents & Int16(POLLERR | POLLHUP) != 0 else { return }
        throw Self.closed
    }

    private static var closed: ExitCode { ExitCode(128 + SIGPIPE) }
}
