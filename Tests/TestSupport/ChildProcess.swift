// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
internal import Glibc

/// A program that runs beside a test; killed, if it still runs, when the last reference goes.
package final class ChildProcess: Sendable {
    /// How a process ended.
    package enum ExitStatus: Hashable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// Its process id; no longer its own once it has ended.
    package let processID: Int32
    /// The lines of its standard output, without their ends.
    package let output: AsyncStream<String>
    /// The lines of its standard error.
    package let errors: AsyncStream<String>
    private let end: End

    /// Starts `program`, with nothing on its standard input and none of our descriptors.
    ///
    /// - Parameter environment: names and values; nil: ours.
    package init(_ program: Program, _ arguments: [String], environment: [String: String]? = nil) throws {
        let outputPipe = try Pipe()
        let errorPipe = try Pipe()
        self.processID = try spawn(program, arguments, environment, outputPipe.writer, errorPipe.writer)
        outputPipe.closeWriter()
        errorPipe.closeWriter()
        self.end = End(self.processID)
        self.output = try lines(from: outputPipe.reader)
        self.errors = try lines(from: errorPipe.reader)
        try startThread { [end] in end.wait() }
    }

    deinit {
        self.end.signal(SIGKILL)
    }

    /// Sends a signal, `SIGTERM` unless told, if the process has not ended.
    package func signal(_ number: Int32 = SIGTERM) {
        self.end.signal(number)
    }

    /// Waits for the end.
    package func exitStatus() async throws -> ExitStatus {
        for await status in self.end.status() { return status }
        throw CancellationError()
    }

    /// Whether it has not ended.
    package var isRunning: Bool { self.end.isRunning }
}

/// The end of a process, known once.
///
/// Signals go to a process that has not been waited for, and so to no other.
private final class End: Sendable {
    private struct State {
        var status: ChildProcess.ExitStatus?
        var waiters: [AsyncStream<ChildProcess.ExitStatus>.Continuation] = []
    }

    private let processID: Int32
    private let state = Locked(State())

    init(_ processID: Int32) {
        self.processID = processID
    }

    var isRunning: Bool { self.state.withLock { $0.status == nil } }

    func signal(_ number: Int32) {
        self.state.withLock { state in
            if state.status == nil { kill(self.processID, number) }
        }
    }

    func status() -> AsyncStream<ChildProcess.ExitStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ChildProcess.ExitStatus.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        self.state.withLock { state in
            if let status = state.status {
                continuation.yield(status)
            } else {
                state.waiters.append(continuation)
            }
        }
        return stream
    }

    func wait() {
        var info = unsafe siginfo_t()
        // Not reaped yet: the id stays its own until the lock is held.
        while unsafe waitid(P_PID, id_t(self.processID), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        self.state.withLock { state in
            var code: Int32 = 0
            while unsafe waitpid(self.processID, &code, 0) < 0, errno == EINTR {}
            let number = code & 0x7F
            let status = number == 0 ? .exited((code >> 8) & 0xFF) : ChildProcess.ExitStatus.killed(signal: number)
            state.status = status
            for waiter in state.waiters { waiter.yield(status) }
            state.waiters = []
        }
    }
}
