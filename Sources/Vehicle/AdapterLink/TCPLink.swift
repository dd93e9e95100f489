// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import CBluetooth
import EventLoop
import Glibc

/// Opens links to adapters on a network: Wi-Fi dongles, emulators, `ser2net`.
package enum TCPLink {
    /// Connects to an adapter.
    ///
    /// - Parameters:
    ///   - host: a name or an address; an IPv6 address without brackets.
    ///   - deadline: the end of the attempt, including the resolution of the name.
    package static func open(
        host: String,
        port: UInt16,
        until deadline: MonotonicTime
    ) async throws(LinkError) -> any AdapterLink {
        let address = host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        let candidates: [SocketAddress]
        switch await SocketAddress.resolve(host: host, port: port, until: deadline) {
        case .success(let found): candidates = found
        case .failure(let error): throw .cannotOpen(address: address, reason: error.reason)
        }
        var reason = "no address found"
        for (index, candidate) in candidates.enumerated() {
            // Each address gets an equal share of the time, because the first may never answer.
            let now = BootClock().now
            let share = (deadline - now) / (candidates.count - index)
            switch await Self.connect(to: candidate, until: now + share) {
            case .success(let descriptor): return DescriptorLink(descriptor, address: address, isSocket: true)
            case .failure(let error): reason = error.reason
            }
        }
        throw .cannotOpen(address: address, reason: reason)
    }

    private static func connect(
        to address: SocketAddress,
        until deadline: MonotonicTime
    ) async -> Result<Int32, SocketError> {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, kind, 0)
        guard descriptor >= 0 else { return .failure(SocketError(errno)) }
        var failure: Int32 = 0
        if address.connect(descriptor) != 0 {
            failure = errno
            if failure == EINPROGRESS {
                failure = await Self.finishConnecting(descriptor, until: deadline)
            }
        }
        guard failure == 0 else {
            _ = close(descriptor)
            return .failure(SocketError(failure))
        }
        Self.configure(descriptor)
        return .success(descriptor)
    }

    private static func finishConnecting(_ descriptor: Int32, until deadline: MonotonicTime) async -> Int32 {
        switch await EventLoop.shared.wait(for: descriptor, .writable, until: deadline, Waiter()) {
        case .deadline: return ETIMEDOUT
        case .notified: return ECANCELED
        case .ready: break
        }
        var failure: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size)
        return failure
    }

    /// Sets the socket's options.
    ///
    /// Requests leave at once. A lost adapter is noticed within a minute, even if nothing is sent.
    private static func configure(_ descriptor: Int32) {
        let options: [(level: Int32, name: Int32, value: Int32)] = [
            (Int32(IPPROTO_TCP), TCP_NODELAY, 1), (SOL_SOCKET, SO_KEEPALIVE, 1),
            (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 20), (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10),
            (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3), (Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 20_000),
        ]
        for option in options {
            var value = option.value
            unsafe setsockopt(descriptor, option.level, option.name, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}

/// The reason why a socket could not be connected.
struct SocketError: Error, Sendable {
    let reason: String

    init(_ number: Int32) {
        self.reason = SystemError.text(number)
    }

    init(reason: String) {
        self.reason = reason
    }
}
