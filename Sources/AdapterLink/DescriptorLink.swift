// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import Synchronization
package import Timing

/// A link over a file descriptor: a TCP socket, a serial device, a pseudo terminal.
package final class DescriptorLink: AdapterLink {
    package let address: String

    /// How long the other side may refuse our bytes.
    static let writeTimeout = Duration.seconds(5)

    private let descriptor: Mutex<Int32?>
    private let waiter = Waiter()
    private let clock = BootClock()

    /// Takes over `descriptor`, which must be open and non-blocking.
    init(_ descriptor: Int32, address: String) {
        self.address = address
        self.descriptor = Mutex(descriptor)
    }

    /// Takes over `descriptor`, and makes it non-blocking.
    convenience init(nonBlocking descriptor: Int32, address: String) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        self.init(descriptor, address: address)
    }

    deinit {
        self.close()
    }

    package func wake() {
        self.waiter.wake()
    }

    package func close() {
        self.descriptor.withLock { descriptor in
            if let open = descriptor.take() { _ = Glibc.close(open) }
        }
        self.waiter.wake()
    }

    package func read(until deadline: MonotonicTime) async throws(LinkError) -> LinkInput {
        while true {
            let (descriptor, bytes) = try self.readAvailable()
            guard bytes.isEmpty else { return .bytes(bytes) }
            switch await EventLoop.shared.wait(for: descriptor, .readable, until: deadline, self.waiter) {
            case .ready: continue
            case .woken: return try self.isOpen() ? .woken : { () throws(LinkError) in throw .closed }()
            case .deadline: return .deadline
            }
        }
    }

    package func write(_ bytes: [UInt8]) async throws(LinkError) {
        var rest = bytes[...]
        let deadline = self.clock.now + Self.writeTimeout
        var wasWoken = false
        // A wake-up is for the next read.
        defer { if wasWoken { self.waiter.wake() } }
        while true {
            let (descriptor, count) = try self.writeAvailable(rest)
            rest = rest.dropFirst(count)
            guard !rest.isEmpty else { return }
            switch await EventLoop.shared.wait(for: descriptor, .writable, until: deadline, self.waiter) {
            case .ready: continue
            case .woken: wasWoken = true
            case .deadline: throw .writeTimedOut
            }
        }
    }

    // MARK: - System calls, none of which blocks

    private func isOpen() -> Bool {
        self.descriptor.withLock { $0 != nil }
    }

    private func readAvailable() throws(LinkError) -> (descriptor: Int32, bytes: [UInt8]) {
        try self.withDescriptor { descriptor throws(LinkError) in
            var count = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, initialised in
                count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                initialised = max(0, count)
            }
            if count == 0 { throw .lost("the other side closed it") }
            if count < 0 && errno != EAGAIN && errno != EINTR { throw .lost(SystemError.text(errno)) }
            return (descriptor, bytes)
        }
    }

    private func writeAvailable(_ bytes: ArraySlice<UInt8>) throws(LinkError) -> (descriptor: Int32, count: Int) {
        try self.withDescriptor { descriptor throws(LinkError) in
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno != EAGAIN && errno != EINTR { throw .lost(SystemError.text(errno)) }
            return (descriptor, max(0, count))
        }
    }

    private func withDescriptor<Result>(
        _ body: (Int32) throws(LinkError) -> sending Result
    ) throws(LinkError) -> sending Result {
        try self.descriptor.withLock { descriptor throws(LinkError) in
            guard let descriptor else { throw LinkError.closed }
            return try body(descriptor)
        }
    }
}
