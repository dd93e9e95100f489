// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Glibc

/// A stream socket between two programs of this machine, never blocking (unix(7)).
///
/// The last reference closes it.
package final class LocalSocket: Sendable {
    /// The largest number of bytes that ``receive()`` returns.
    private static let receiveLimit = 65_536

    private let descriptor: Int32

    /// Takes over an open and nonblocking descriptor.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        _ = close(self.descriptor)
    }

    /// Connects to the socket at a path.
    package static func connect(to path: String) throws(LocalSocketProblem) -> LocalSocket {
        let socket = LocalSocket(descriptor: try Self.open())
        try unsafe LocalAddress(path).use { address, size throws(LocalSocketProblem) in
            guard unsafe Glibc.connect(socket.descriptor, address, size) == 0 else { throw LocalSocketProblem(errno) }
        }
        return socket
    }

    /// Opens a socket that is neither bound nor connected.
    static func open() throws(LocalSocketProblem) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw LocalSocketProblem(errno) }
        return descriptor
    }

    /// Sends as many of the bytes as fit into the kernel's buffer.
    ///
    /// - Returns: their number; nil if the peer has closed the connection.
    package func send(_ bytes: ArraySlice<UInt8>) -> Int? {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(self.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }

    /// Returns the received bytes: an empty array if there are none yet, nil after the end.
    package func receive() -> [UInt8]? {
        var count = 0
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.receiveLimit) { buffer, initialized in
            count = unsafe read(self.descriptor, buffer.baseAddress, buffer.count)
            failure = errno
            initialized = max(0, count)
        }
        if count > 0 { return bytes }
        return count < 0 && (failure == EAGAIN || failure == EINTR) ? [] : nil
    }

    /// Waits until the socket is ready, the waiter is notified, or the deadline has passed; cancellation ends the wait.
    package func wait(
        for interest: EventLoop.Interest,
        until deadline: MonotonicTime,
        _ waiter: Waiter
    ) async -> WaitResult {
        await EventLoop.shared.wait(for: self.descriptor, interest, until: deadline, waiter)
    }
}

/// The reason why a socket of this machine cannot be used.
package enum LocalSocketProblem: Error, Hashable, Sendable {
    /// No program listens at the path.
    case absent
    /// This user may not open the path.
    case forbidden
    /// The path has more bytes than an address may have.
    case longPath
    /// Another process listens at the path.
    case inUse
    /// A file of another kind is at the path.
    case notASocket
    /// The operating system refuses; the error number.
    case system(Int32)

    init(_ number: Int32) {
        switch number {
        case ENOENT, ENOTDIR, ECONNREFUSED: self = .absent
        case EACCES, EPERM: self = .forbidden
        default: self = .system(number)
        }
    }
}

extension LocalSocketProblem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .absent: "no program listens there"
        case .forbidden: unsafe String(cString: strerror(EACCES))
        case .longPath: "the path has more than \(LocalAddress.limit) bytes"
        case .inUse: "another process listens there"
        case .notASocket: "there is a file that is no socket"
        case .system(let number): unsafe String(cString: strerror(number))
        }
    }
}

/// The address of a socket of this machine.
struct LocalAddress {
    /// The largest number of bytes in a path.
    static let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    private var address = sockaddr_un()

    init(_ path: String) throws(LocalSocketProblem) {
        let bytes = Array(path.utf8)
        guard bytes.count <= Self.limit else { throw .longPath }
        self.address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &self.address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    }

    func use<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws(LocalSocketProblem) -> Result
    ) throws(LocalSocketProblem) -> Result {
        var address = self.address
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        return try unsafe withUnsafePointer(to: &address) { pointer throws(LocalSocketProblem) in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                pointer throws(LocalSocketProblem) in try unsafe body(pointer, size)
            }
        }
    }
}
