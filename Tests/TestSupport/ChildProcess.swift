// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
internal import Glibc

/// A program that runs beside a test, and is killed with its last reference.
package final class ChildProcess: Sendable {
    /// The exit status of a process.
    package enum ExitStatus: Hashable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// The process id, which the system may reuse once the process has ended.
    package let processID: Int32
    /// The lines of the standard output, without line ends.
    package let output: AsyncStream<String>
    /// The lines of the standard error.
    package let errors: AsyncStream<String>
    private let end: End

    /// Starts `program` with an empty standard input and without other descriptors of this process.
    ///
    /// - Parameter environment: names and values; nil: the environment of this process.
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

    /// Sends a signal, by default `SIGTERM`; does nothing if the process has ended.
    package func signal(_ number: Int32 = SIGTERM) {
        self.end.signal(number)
    }

    /// Waits for the end of the process.
    package func exitStatus() async throws -> ExitStatus {
        for await status in self.end.status() { return status }
        throw CancellationError()
    }

    /// Whether the process has not ended.
    package var isRunning: Bool { self.end.isRunning }
}

/// The exit status of a process, with the tasks that wait for it.
///
/// A signal is sent only before the process is reaped, so it cannot reach another process with the same id.
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
        // WNOWAIT does not reap the process, so its id stays valid until the lock is held.
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
