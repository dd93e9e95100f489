// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CBluetooth
import EventLoop
import Glibc
import Base

/// An address that a socket can be connected to.
struct SocketAddress: Sendable {
    let family: Int32
    private let bytes: [UInt8]

    /// Connects `descriptor`, as `connect(2)` does.
    func connect(_ descriptor: Int32) -> Int32 {
        unsafe self.bytes.withUnsafeBytes { raw in
            guard let address = unsafe raw.bindMemory(to: sockaddr.self).baseAddress else { return -1 }
            return unsafe Glibc.connect(descriptor, address, socklen_t(raw.count))
        }
    }

    /// What the resolver's thread leaves for the task that may still wait for it.
    private final class Lookup: Sendable {
        let answer = Locked<Result<[SocketAddress], SocketError>?>(nil)
        let waiter = Waiter()
    }

    /// The addresses of a host, the preferred first.
    ///
    /// The resolver blocks, so it has a thread of its own for as long as it takes, which may be after the deadline.
    static func resolve(
        host: String,
        port: UInt16,
        until deadline: MonotonicTime
    ) async -> Result<[SocketAddress], SocketError> {
        let lookup = Lookup()
        Thread.start(named: "resolver") {
            let answer = Self.look(up: host, port)
            lookup.answer.withLock { $0 = answer }
            lookup.waiter.wake()
        }
        let ended = await EventLoop.shared.wait(until: deadline, lookup.waiter)
        return lookup.answer.withLock { $0 } ?? .failure(SocketError(ended == .deadline ? ETIMEDOUT : ECANCELED))
    }

    private static func look(up host: String, _ port: UInt16) -> Result<[SocketAddress], SocketError> {
        var list: UnsafeMutablePointer<addrinfo>?
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        // An address is taken as it is; only of a name's, those of a family that this machine has no address of its
        // own in are left out (::1 and 127.0.0.1 do not count as one).
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
