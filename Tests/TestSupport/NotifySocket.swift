// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A socket that receives notifications of sd_notify(3) in place of systemd.
package final class NotifySocket: Sendable {
    /// The value for `NOTIFY_SOCKET`.
    package let path: String
    /// The received notifications, one element each.
    package let messages: AsyncStream<String>
    private let descriptor: Int32

    package init(in directory: TemporaryDirectory) throws {
        self.path = directory.path + "/notify"
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        self.descriptor = descriptor
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(self.path.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let status = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw SystemError("bind \(self.path)") }
        let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1000))
        self.messages = stream
        try startThread {
            var bytes = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                continuation.yield(String(decoding: bytes[..<count], as: UTF8.self))
            }
            continuation.finish()
            close(descriptor)
        }
    }

    deinit {
        // This ends the thread, which closes the descriptor.
        shutdown(self.descriptor, Int32(SHUT_RDWR))
    }
}
