// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Glibc

/// Another program that runs to its end, with a bounded output and a deadline.
package enum ChildProgram {
    /// The largest number of bytes of the input, which fit into a pipe.
    private static let inputLimit = 64 * 1024

    /// The end of a program.
    package struct Outcome: Hashable, Sendable {
        /// The exit status; nil if a signal or the deadline ended the program.
        package let status: Int32?
        /// The standard output and the standard error.
        package let output: String
    }

    /// Runs a program, which is found by `PATH`.
    ///
    /// - Parameters:
    ///   - input: the standard input, at most 64 KiB; nil for an empty one. It appears in no list of processes.
    ///   - seconds: the time after which the program is killed.
    ///   - limit: the largest number of bytes that are kept of the output.
    /// - Returns: nil if the program cannot be started.
    package static func run(
        _ words: [String],
        input: String? = nil,
        seconds: Int32,
        limit: Int = 64 * 1024
    ) -> Outcome? {
        guard let feed = Self.pipe() else { return nil }
        guard let result = Self.pipe() else {
            for end in feed { _ = close(end) }
            return nil
        }
        let process = Self.spawn(words, feed[0], result[1])
        _ = close(feed[0])
        _ = close(result[1])
        defer { _ = close(result[0]) }
        guard let process else {
            _ = close(feed[1])
            return nil
        }
        // The input fits into the pipe, so nothing blocks. A program that reads none of it must not end this one.
        let before = signal(SIGPIPE, SIG_IGN)
        _ = Descriptor.write(Array((input ?? "").utf8.prefix(Self.inputLimit)), to: feed[1])
        _ = close(feed[1])
        _ = signal(SIGPIPE, before)
        let output = Self.read(result[0], of: process, seconds: seconds, limit: limit)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        let isExit = status & 0x7F == 0
        return Outcome(status: isExit ? (status >> 8) & 0xFF : nil, output: String(decoding: output, as: UTF8.self))
    }

    /// Returns the two ends of a pipe, which no program inherits, so that it sees the end of its input.
    private static func pipe() -> [Int32]? {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    /// Reads until the program has closed its output, and kills it at the deadline.
    private static func read(_ descriptor: Int32, of process: pid_t, seconds: Int32, limit: Int) -> [UInt8] {
        let deadline = BootClock().now + .seconds(Int(seconds))
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let rest = deadline - BootClock().now
            guard rest > .zero else {
                kill(process, SIGKILL)
                return output
            }
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let milliseconds = min(1000, rest.components.seconds * 1000 + 1)
            guard unsafe poll(&wait, 1, Int32(milliseconds)) > 0 else { continue }
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return output }
            output += buffer.prefix(min(count, limit - output.count))
        }
    }

    private static func spawn(_ words: [String], _ input: Int32, _ output: Int32) -> pid_t? {
        guard let program = words.first else { return nil }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 2)
        let list = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe list.forEach { unsafe free($0) } }
        var process: pid_t = 0
        return unsafe posix_spawnp(&process, program, &actions, nil, list, environ) == 0 ? process : nil
    }
}
