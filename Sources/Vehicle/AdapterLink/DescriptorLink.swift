// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import EventLoop
import Glibc
import Synchronization

/// A link over a file descriptor: a TCP socket, a serial device, a pseudo terminal.
package final class DescriptorLink: AdapterLink {
    package let address: String

    /// The maximum number of bytes of one read: more than a Bluetooth packet, and few enough for the stack.
    private static let readLimit = 1024
    /// The time for which the peer may accept no bytes.
    private let writeTimeout: Duration
    private let isSocket: Bool
    private let descriptor: Locked<Int32?>
    private let waiter = Waiter()
    /// Whether the last read was full, so that more bytes may be available.
    ///
    /// After any other read, waiting first is cheaper.
    private let mayHoldMore = Atomic(true)
    private let clock = BootClock()

    /// Creates a link that owns `descriptor`, which must be open and non-blocking.
    init(_ descriptor: Int32, address: String, isSocket: Bool, writeTimeout: Duration = .seconds(5)) {
        self.address = address
        self.isSocket = isSocket
        self.writeTimeout = writeTimeout
        self.descriptor = Locked(descriptor)
    }

    deinit {
        self.close()
    }

    package func interruptRead() {
        self.waiter.notify()
    }

    package func close() {
        self.descriptor.withLock { descriptor in
            guard let open = descriptor.take() else { return }
            // A pseudo terminal would otherwise stay exclusive after this process has ended.
            if !self.isSocket { _ = ioctl(open, UInt(TIOCNXCL)) }
            _ = Glibc.close(open)
        }
        self.waiter.notify()
    }

    package func read(until deadline: MonotonicTime) async throws(LinkError) -> LinkInput {
        var isReady = self.mayHoldMore.load(ordering: .relaxed)
        while true {
            if isReady {
                let bytes = try self.readAvailable()
                self.mayHoldMore.store(bytes.count == Self.readLimit, ordering: .relaxed)
                guard bytes.isEmpty else { return .bytes(bytes) }
            }
            switch await self.wait(for: .readable, until: deadline) {
            case .ready: isReady = true
            case .notified: return try self.isOpen() ? .interrupted : { () throws(LinkError) in throw .closed }()
            case .deadline: return .deadline
            }
        }
    }

    package func write(_ bytes: [UInt8]) async throws(LinkError) {
        var rest = bytes[...]
        let deadline = self.clock.now + self.writeTimeout
        var wasNotified = false
        // The notification is passed on to the next read.
        defer { if wasNotified { self.waiter.notify() } }
        while true {
            rest = rest.dropFirst(try self.writeAvailable(rest))
            guard !rest.isEmpty else { return }
            switch await self.wait(for: .writable, until: deadline) {
            case .ready: continue
            case .notified:
                // Every wait of a cancelled task ends at once.
                if Task.isCancelled { throw .closed }
                wasNotified = true
            case .deadline: throw .writeTimedOut
            }
        }
    }

    private func wait(for interest: EventLoop.Interest, until deadline: MonotonicTime) async -> WaitResult {
        if Task.isCancelled { return .notified }
        return await EventLoop.shared.wait(for: interest, until: deadline, self.waiter) { arm in
            self.descriptor.withLock { $0.map(arm) ?? false }
        }
    }

    // MARK: - Non-blocking system calls

    private func isOpen() -> Bool {
        self.descriptor.withLock { $0 != nil }
    }

    private func readAvailable() throws(LinkError) -> [UInt8] {
        try self.withDescriptor { descriptor throws(LinkError) in
            var failure: Int32 = 0
            var count = 0
            let bytes = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.readLimit) { buffer in
                count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                failure = errno
                return unsafe Array(buffer.prefix(max(0, count)))
            }
            if count == 0 { throw .lost("closed by the peer") }
            if count < 0 && failure != EAGAIN && failure != EINTR { throw .lost(SystemError.text(failure)) }
            return bytes
        }
    }

    private func writeAvailable(_ bytes: ArraySlice<UInt8>) throws(LinkError) -> Int {
        try self.withDescriptor { descriptor throws(LinkError) in
            let count = unsafe bytes.withUnsafeBytes { bytes in
                // Without the flag, SIGPIPE ends this process when the peer has closed its socket.
                self.isSocket
                    ? unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                    : unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            }
            let failure = errno
            if count < 0 && failure != EAGAIN && failure != EINTR { throw .lost(SystemError.text(failure)) }
            return max(0, count)
        }
    }

    private func withDescriptor<Result>(
        _ body: (Int32) throws(LinkError) -> Result
    ) throws(LinkError) -> Result {
        try self.descriptor.withLock { descriptor throws(LinkError) in
            guard let descriptor else { throw LinkError.closed }
            return try body(descriptor)
        }
    }
}
