// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CBluetooth
import EventLoop
import Glibc

/// The address of a socket's peer.
struct SocketAddress: Sendable {
    let family: Int32
    private let bytes: [UInt8]

    /// Calls `connect(2)` on `descriptor`.
    func connect(_ descriptor: Int32) -> Int32 {
        unsafe self.bytes.withUnsafeBytes { raw in
            guard let address = unsafe raw.bindMemory(to: sockaddr.self).baseAddress else { return -1 }
            return unsafe Glibc.connect(descriptor, address, socklen_t(raw.count))
        }
    }

    /// The resolver thread's answer, for the task that waits for it.
    private final class Lookup: Sendable {
        let answer = Locked<Result<[SocketAddress], SocketError>?>(nil)
        let waiter = Waiter()
    }

    /// Returns the addresses of a host, the preferred first.
    ///
    /// The resolver blocks, so it runs on its own thread. That thread may end after the deadline.
    static func resolve(
        host: String,
        port: UInt16,
        until deadline: MonotonicTime
    ) async -> Result<[SocketAddress], SocketError> {
        let lookup = Lookup()
        Thread.start(named: "resolver") {
            let answer = Self.lookUp(host, port)
            lookup.answer.withLock { $0 = answer }
            lookup.waiter.notify()
        }
        let ended = await EventLoop.shared.wait(until: deadline, lookup.waiter)
        return lookup.answer.withLock { $0 } ?? .failure(SocketError(ended == .deadline ? ETIMEDOUT : ECANCELED))
    }

    private static func lookUp(_ host: String, _ port: UInt16) -> Result<[SocketAddress], SocketError> {
        var list: UnsafeMutablePointer<addrinfo>?
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        // A numeric address is used as it is. The addresses of a name are limited to the families in which this
        // machine has an address (::1 and 127.0.0.1 do not count).
        unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var result = unsafe getaddrinfo(host, String(port), &hints, &list)
        if result == EAI_NONAME {
            unsafe hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
            result = unsafe getaddrinfo(host, String(port), &hints, &list)
        }
        guard result == 0 else { return .failure(SocketError(reason: unsafe String(cString: gai_strerror(result)))) }
        defer { unsafe freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe entry.pointee.ai_addr {
                let raw = unsafe UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
                found.append(unsafe SocketAddress(family: entry.pointee.ai_family, bytes: Array(raw)))
            }
            unsafe next = entry.pointee.ai_next
        }
        return .success(found)
    }
}
