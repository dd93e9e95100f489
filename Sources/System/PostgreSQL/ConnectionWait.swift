// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import CPostgreSQL
internal import EventLoop
internal import Glibc

/// The waiting for a connection's socket, with a deadline and an interrupt.
struct ConnectionWait {
    let interrupt: PollInterrupt

    /// Throws once the interrupt is signaled.
    func checkInterrupt(_ operation: String) throws(PostgreSQLError) {
        var descriptor = pollfd(fd: self.interrupt.descriptor, events: Int16(POLLIN), revents: 0)
        if unsafe poll(&descriptor, 1, 0) > 0 { throw PostgreSQLError(operation, .interrupted, "interrupted") }
    }

    /// Waits until the socket is ready; returns what it is ready for.
    @discardableResult
    func wait(
        for events: Int16,
        of handle: OpaquePointer,
        until deadline: ContinuousClock.Instant,
        _ operation: String
    ) throws(PostgreSQLError) -> Int16 {
        var descriptors = [
            pollfd(fd: unsafe PQsocket(handle), events: events, revents: 0),
            pollfd(fd: self.interrupt.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let left = ContinuousClock.Instant.now.duration(to: deadline)
            let milliseconds = Int32(clamping: Int64((max(left, .zero) / .milliseconds(1)).rounded(.up)))
            let ready = unsafe poll(&descriptors, 2, milliseconds)
            if ready < 0, errno != EINTR {
                throw PostgreSQLError(operation, .unreachable, unsafe String(cString: strerror(errno)))
            }
            guard ready > 0 else {
                guard left > .zero else {
                    throw PostgreSQLError(operation, .unreachable, "the server did not answer in time")
                }
                continue
            }
            // Looked at only, never cleared: it ends all that come after.
            guard descriptors[1].revents == 0 else { throw PostgreSQLError(operation, .interrupted, "interrupted") }
            let found = descriptors[0].revents
            // A socket with an error is read, so that libpq finds the error.
            return found & ~events != 0 ? found | Int16(POLLIN) : found
        }
    }
}
