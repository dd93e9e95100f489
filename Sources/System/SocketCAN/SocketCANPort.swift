// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import CSocketCAN
import EventLoop
import Glibc

/// A port on the kernel's CAN: one raw socket for frames and errors, and one socket of ISO 15765-2 for each channel.
package final class SocketCANPort: CANPort {
    package let interface: String

    /// The most channels that are open at a time: eight ECUs of 11 bits, and those of custom parameters.
    private static let channelLimit = 48
    /// The most frames of one round of reading, so that messages are read soon on a busy bus.
    private static let frameLimit = 64

    private struct State {
        /// The sockets wait in an epoll of their own, so that the event loop waits for one descriptor.
        var epoll: Int32
        var raw: Int32
        var index: Int32
        var channels: [CANChannel: Int32] = [:]
        /// The inputs of the last round of reading that are not delivered yet.
        var inputs: ArraySlice<CANInput> = []
    }

    private let state: Locked<State?>
    private let waiter = Waiter()

    /// Opens a port; no frame is received yet.
    package init(_ interface: String) throws(CANError) {
        let (raw, index) = try CANSocket.openRaw(interface)
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0, Self.add(raw, to: epoll) else {
            _ = Glibc.close(raw)
            if epoll >= 0 { _ = Glibc.close(epoll) }
            throw .system("epoll", "no descriptor is left")
        }
        self.interface = interface
        self.state = Locked(State(epoll: epoll, raw: raw, index: index))
    }

    deinit {
        self.close()
    }

    private static func add(_ descriptor: Int32, to epoll: Int32) -> Bool {
        var event = unsafe epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: descriptor))
        return unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    private func withState<Success>(
        _ body: (inout State) throws(CANError) -> Success
    ) throws(CANError) -> Success {
        try self.state.withLock { state throws(CANError) in
            guard var open = state.take() else { throw CANError.closed }
            defer { state = open }
            return try body(&open)
        }
    }

    package func details() throws(CANError) -> CANDetails {
        let index = try self.withState { state throws(CANError) in state.index }
        return try CANSocket.details(index, self.interface)
    }

    package func receiveFrames(_ filters: [CANFilter]) throws(CANError) {
        try self.withState { state throws(CANError) in
            try CANSocket.filter(state.raw, filters, self.interface)
        }
    }

    package func open(_ channel: CANChannel) throws(CANError) {
        try self.withState { state throws(CANError) in
            guard state.channels[channel] == nil else { return }
            guard state.channels.count < Self.channelLimit else {
                throw .system("socket", "too many channels are open")
            }
            let descriptor = try CANSocket.openTransport(channel, state.index, self.interface)
            guard Self.add(descriptor, to: state.epoll) else {
                _ = Glibc.close(descriptor)
                throw .system("epoll", "no descriptor is left")
            }
            state.channels[channel] = descriptor
        }
    }

    package func close(_ channel: CANChannel) {
        self.state.withLock { state in
            guard let descriptor = state?.channels.removeValue(forKey: channel) else { return }
            _ = Glibc.close(descriptor)
            state?.inputs.removeAll { $0.channel == channel }
        }
    }

    package func send(_ message: [UInt8], over channel: CANChannel) throws(CANError) {
        try self.withState { state throws(CANError) in
            guard let descriptor = state.channels[channel] else { throw .closed }
            try CANSocket.send(message, descriptor, self.interface)
        }
    }

    package func sendFrame(_ data: [UInt8], _ identifier: CANIdentifier) throws(CANError) {
        try self.withState { state throws(CANError) in
            try CANSocket.sendFrame(data, identifier, state.raw, self.interface)
        }
    }

    package func interruptReceive() { self.waiter.notify() }

    package func close() {
        self.state.withLock { state in
            guard let open = state.take() else { return }
            for descriptor in Array(open.channels.values) + [open.raw, open.epoll] { _ = Glibc.close(descriptor) }
        }
        self.waiter.notify()
    }

    package func receiveAvailable() throws(CANError) -> CANInput? {
        try self.withState { state throws(CANError) in try self.next(&state) }
    }

    package func receive(until deadline: MonotonicTime) async throws(CANError) -> CANInput {
        while true {
            if let input = try self.receiveAvailable() { return input }
            if Task.isCancelled { return .interrupted }
            switch await EventLoop.shared.wait(for: .readable, until: deadline, self.waiter, withDescriptor: self.arm) {
            case .ready: continue
            case .notified:
                _ = try self.withState { state throws(CANError) in state.raw }
                return .interrupted
            case .deadline: return .deadline
            }
        }
    }

    private func arm(_ body: (Int32) -> Bool) -> Bool {
        self.state.withLock { $0.map { body($0.epoll) } ?? false }
    }

    /// Returns the next input; nil if no socket has one.
    private func next(_ state: inout State) throws(CANError) -> CANInput? {
        if state.inputs.isEmpty { state.inputs = try self.read(state)[...] }
        return state.inputs.popFirst()
    }

    /// Reads the frames, and then a message of each socket that has one.
    private func read(_ state: State) throws(CANError) -> [CANInput] {
        let ready = Self.ready(state.epoll)
        guard !ready.isEmpty else { return [] }
        var inputs: [CANInput] = []
        if ready.contains(state.raw) {
            for _ in 0..<Self.frameLimit {
                guard let input = try CANSocket.receiveFrame(state.raw, self.interface) else { break }
                inputs.append(input)
            }
        }
        for (channel, descriptor) in state.channels where ready.contains(descriptor) {
            if let input = try CANSocket.receiveMessage(descriptor, channel, self.interface) { inputs.append(input) }
        }
        return inputs
    }

    /// Returns the sockets that can be read.
    private static func ready(_ epoll: Int32) -> [Int32] {
        let capacity = 16
        return unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: capacity) { events in
            let count = unsafe epoll_wait(epoll, events.baseAddress, Int32(capacity), 0)
            return (0..<max(0, Int(count))).map { unsafe events[$0].data.fd }
        }
    }
}

extension CANInput {
    /// The channel of a message or a failure.
    fileprivate var channel: CANChannel? {
        switch self {
        case .message(_, let channel), .failure(_, let channel): channel
        case .frame, .errors, .interrupted, .deadline: nil
        }
    }
}
