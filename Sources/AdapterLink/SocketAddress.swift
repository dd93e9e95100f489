// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc

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

    /// The addresses of a host, the preferred first.
    ///
    /// The resolver blocks, so it has a thread of its own for as long as it takes.
    static func resolve(host: String, port: UInt16) async -> Result<[SocketAddress], SocketError> {
        await withCheckedContinuation { continuation in
            Thread.start(named: "resolver") {
                continuation.resume(returning: Self.look(up: host, port))
            }
        }
    }

    private static func look(up host: String, _ port: UInt16) -> Result<[SocketAddress], SocketError> {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(host, String(port), &hints, &list)
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
