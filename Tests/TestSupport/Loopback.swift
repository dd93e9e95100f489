// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// TCP on 127.0.0.1.
package enum Loopback {
    /// Returns a port that was free a moment ago.
    package static func freePort() throws -> UInt16 {
        let listener = try LoopbackListener(backlog: nil)
        return listener.port
    }

    /// Waits until a process listens on `port`; throws if `isHopeless` returns true, or after 60 s.
    package static func awaitListener(on port: UInt16, isHopeless: @escaping @Sendable () -> Bool) async throws {
        try await within("a listener on port \(port)") {
            while !canConnect(to: port) {
                if isHopeless() { throw SystemError("no process listens on port \(port)", ECONNREFUSED) }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private static func canConnect(to port: UInt16) -> Bool {
        guard let probe = try? connect(to: port) else { return false }
        close(probe)
        return true
    }

    /// Returns a socket that is connected to `port`.
    ///
    /// The caller closes it.
    package static func connect(to port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        let code = unsafe withAddress(port) { unsafe Glibc.connect(descriptor, $0, $1) }
        guard code == 0 else {
            let error = SystemError("connect")
            close(descriptor)
            throw error
        }
        return descriptor
    }
}

/// A socket bound to a free port of 127.0.0.1, for a test that acts as the server.
package final class LoopbackListener: Sendable {
    package let port: UInt16
    let descriptor: Int32

    /// Binds a socket to a free port.
    ///
    /// - Parameter backlog: the number of connections that the kernel queues; nil: the socket does not listen.
    package init(backlog: Int32? = 8) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        self.descriptor = descriptor
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withAddress(0) { unsafe bind(descriptor, $0, $1) }
        let named = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size)
            }
        }
        self.port = UInt16(bigEndian: address.sin_port)
        guard code == 0, named == 0 else { throw SystemError("bind") }
        if let backlog, listen(descriptor, backlog) != 0 { throw SystemError("listen") }
    }

    deinit {
        close(self.descriptor)
    }

    /// Serves one connection on its own thread, and closes it when `body` returns.
    package func serveOne(_ body: @escaping @Sendable (LoopbackPeer) -> Void) throws {
        try startThread {
            let accepted = accept(self.descriptor, nil, nil)
            guard accepted >= 0 else { return }
            body(LoopbackPeer(descriptor: accepted))
            close(accepted)
        }
    }
}

/// The accepted end of a connection to a ``LoopbackListener``; all calls block.
package struct LoopbackPeer: Sendable {
    let descriptor: Int32

    /// Returns the next bytes; empty at the connection's end.
    package func read() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = unsafe recv(self.descriptor, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }

    /// Sends `bytes`, or the part that the peer accepts.
    package func write(_ bytes: [UInt8]) {
        _ = self.writeAll(bytes)
    }

    /// Sends `bytes`, or the part that the peer accepts; returns whether all bytes were sent.
    package func writeAll(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

private func withAddress(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}
