// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import CBluetooth
import EventLoop
import Glibc

/// Serial lines over classic Bluetooth (Bluetooth RFCOMM with TS 07.10).
package enum RFCOMM {
    /// The reason why a channel could not be connected.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
        /// Whether the kernel does not support Bluetooth.
        package let isUnsupported: Bool

        init(_ number: Int32) {
            self.description = unsafe String(cString: strerror(number))
            self.isUnsupported = number == EAFNOSUPPORT || number == EPROTONOSUPPORT
        }
    }

    /// Connects a channel.
    ///
    /// The caller owns the returned descriptor, which is non-blocking.
    package static func connect(
        _ address: BluetoothAddress,
        channel: UInt8,
        until deadline: MonotonicTime
    ) async throws(Failure) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_BLUETOOTH, kind, BTPROTO_RFCOMM)
        guard descriptor >= 0 else { throw Failure(errno) }
        var remote = sockaddr_rc(
            rc_family: sa_family_t(AF_BLUETOOTH),
            rc_bdaddr: bdaddr_t(address),
            rc_channel: channel
        )
        let result = unsafe withUnsafePointer(to: &remote) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_rc>.size))
            }
        }
        var failure = result == 0 ? 0 : errno
        if failure == EINPROGRESS || failure == EAGAIN { failure = await Self.finish(descriptor, until: deadline) }
        guard failure == 0 else {
            _ = close(descriptor)
            throw Failure(failure)
        }
        return descriptor
    }

    private static func finish(_ descriptor: Int32, until deadline: MonotonicTime) async -> Int32 {
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
}
