// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Glibc

/// A socket at a path of this machine, to which other programs connect.
///
/// The last reference closes it, and removes the path.
package final class LocalListener: Sendable {
    /// The pause after a connection that could not be accepted, for example because no descriptor is left.
    private static let failurePause = Duration.seconds(1)
    /// The number of connections that may wait to be accepted.
    private static let backlog: Int32 = 8

    private let path: String
    private let descriptor: Int32

    /// Listens at a path, which the owner and the group may use; a socket of a process that has ended is replaced.
    package init(at path: String) throws(LocalSocketProblem) {
        try Self.removeRemains(of: path)
        let descriptor = try LocalSocket.open()
        do throws(LocalSocketProblem) {
            try unsafe LocalAddress(path).use { address, size throws(LocalSocketProblem) in
                guard unsafe bind(descriptor, address, size) == 0 else { throw LocalSocketProblem(errno) }
            }
            // Nobody can connect before the socket listens, whatever its mode.
            guard unsafe chmod(path, 0o660) == 0, listen(descriptor, Self.backlog) == 0 else {
                throw LocalSocketProblem(errno)
            }
        } catch {
            _ = close(descriptor)
            throw error
        }
        (self.path, self.descriptor) = (path, descriptor)
    }

    deinit {
        // Only its owner's processes can have put another socket there, and ``init(at:)`` replaces none that is alive.
        _ = unsafe unlink(self.path)
        _ = close(self.descriptor)
    }

    private static func removeRemains(of path: String) throws(LocalSocketProblem) {
        guard let status = FileStatus(path) else { return }
        guard status.isSocket else { throw .notASocket }
        do throws(LocalSocketProblem) {
            _ = try LocalSocket.connect(to: path)
        } catch .absent {
            _ = unsafe unlink(path)
            return
        }
        throw .inUse
    }

    /// Waits for the next connection; returns nil once `waiter` is notified or the task is cancelled.
    package func accept(_ waiter: Waiter) async -> LocalSocket? {
        while !Task.isCancelled {
            let descriptor = Glibc.accept(self.descriptor, nil, nil)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
                return LocalSocket(descriptor: descriptor)
            }
            let failure = errno
            if failure == EINTR || failure == ECONNABORTED { continue }
            let now = BootClock().now
            let result =
                failure == EAGAIN
                ? await EventLoop.shared.wait(for: self.descriptor, .readable, until: now + .seconds(3600), waiter)
                : await EventLoop.shared.wait(until: now + Self.failurePause, waiter)
            if result == .notified { return nil }
        }
        return nil
    }
}
