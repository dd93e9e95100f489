// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A nonblocking file descriptor that is closed when the last reference to it is gone.
final class NonblockingDescriptor: Sendable {
    let number: Int32

    /// - Parameters:
    ///   - number: the result of `call`.
    ///   - call: the name of the system call, for the error.
    /// - Throws: ``SimulatorError/system(call:code:)`` if the call failed.
    init(_ number: Int32, from call: String) throws(SimulatorError) {
        guard number >= 0 else { throw .system(call: call, code: errno) }
        self.number = number
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    }

    deinit {
        _ = Glibc.close(self.number)
    }

    /// Reads the available bytes: an empty array if there are none yet, nil after the end and after a failure.
    func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(self.number, $0.baseAddress, $0.count) }
        if count > 0 { return Array(bytes.prefix(count)) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
    }

    /// Writes as many of `bytes` as possible, and returns their number; nil if the other end is gone.
    func write(_ bytes: [UInt8], isSocket: Bool) -> Int? {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            isSocket
                ? unsafe send(self.number, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
                : unsafe Glibc.write(self.number, buffer.baseAddress, buffer.count)
        }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }
}

// MARK: - Opening

extension NonblockingDescriptor {
    /// Opens a socket that listens on a loopback address, and returns it with its port.
    static func listen(host: String, port: UInt16) throws(SimulatorError) -> (NonblockingDescriptor, UInt16) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        let text = host == "localhost" ? "127.0.0.1" : host
        guard unsafe inet_pton(AF_INET, text, &address.sin_addr) == 1,
            UInt32(bigEndian: address.sin_addr.s_addr) >> 24 == 127
        else { throw .notLoopback(host) }
        let listener = try NonblockingDescriptor(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), from: "socket")
        listener.set(SOL_SOCKET, SO_REUSEADDR)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard unsafe bind(listener.number, pointer, size) == 0, Glibc.listen(listener.number, 16) == 0 else {
                    return false
                }
                return unsafe getsockname(listener.number, pointer, &size) == 0
            }
        }
        guard bound else { throw .system(call: "listen on \(host):\(port)", code: errno) }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    /// Accepts the next client; nil if no client is waiting.
    func accept() throws(SimulatorError) -> NonblockingDescriptor? {
        let number = Glibc.accept(self.number, nil, nil)
        if number < 0, [EAGAIN, EINTR, ECONNABORTED].contains(errno) { return nil }
        let client = try NonblockingDescriptor(number, from: "accept")
        client.set(Int32(IPPROTO_TCP), TCP_NODELAY)
        return client
    }

    /// Opens a pseudo terminal in raw mode.
    ///
    /// The other end stays open here, so that the terminal survives a client that closes it.
    ///
    /// - Returns: the end of the simulator, the end of the clients, and the path for the clients.
    static func terminal() throws(SimulatorError)
        -> (ours: NonblockingDescriptor, other: NonblockingDescriptor, path: String)
    {
        var ours: Int32 = -1
        var other: Int32 = -1
        var path = [CChar](repeating: 0, count: 128)
        guard unsafe openpty(&ours, &other, &path, nil, nil) == 0 else { throw .system(call: "openpty", code: errno) }
        let descriptors = (
            try NonblockingDescriptor(ours, from: "openpty"), try NonblockingDescriptor(other, from: "openpty")
        )
        var settings = termios()
        guard unsafe tcgetattr(other, &settings) == 0 else { throw .system(call: "tcgetattr", code: errno) }
        unsafe cfmakeraw(&settings)
        guard unsafe tcsetattr(other, TCSANOW, &settings) == 0 else { throw .system(call: "tcsetattr", code: errno) }
        let name = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: Int8($0)) }, as: UTF8.self)
        return (descriptors.0, descriptors.1, name)
    }

    /// Opens a pipe.
    static func pipe() throws(SimulatorError) -> (read: NonblockingDescriptor, write: NonblockingDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else { throw .system(call: "pipe", code: errno) }
        return (try NonblockingDescriptor(ends[0], from: "pipe"), try NonblockingDescriptor(ends[1], from: "pipe"))
    }

    private func set(_ level: Int32, _ option: Int32) {
        var on: Int32 = 1
        _ = unsafe setsockopt(self.number, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }
}
