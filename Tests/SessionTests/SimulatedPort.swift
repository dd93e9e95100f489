// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Simulator
import SocketCAN
import Synchronization

/// A CAN interface whose bus has a simulated vehicle, in virtual time.
///
/// The vehicle has 11-bit identifiers. Long replies arrive whole over the channel of their ECU, as the kernel delivers
/// them; without such a channel only their first frame arrives, because nobody answers it.
final class SimulatedPort: CANPort {
    /// The state of the interface and of the bus that a test may change.
    struct Conditions: Sendable {
        var details = CANDetails(bitRate: 500_000, state: .active)
        /// Whether the nodes of the vehicle send by themselves.
        var hasTraffic = true
        /// Whether every frame is damaged, as at another bit rate.
        var isDamaged = false
        /// Whether the kernel reports the loss of the interface.
        var isDown = false
        /// Whether no node of the vehicle sends or answers.
        var isAsleep = false
        /// An error that the controller reports once, as soon as a port is read.
        var report: CANErrorReport?
        /// The interval in the count of long replies at which one loses a frame; nil: none does.
        var lossInterval: Int?
        /// The frames that nodes of the vehicle send by themselves, besides the traffic.
        var broadcasts: [Broadcast] = []
        /// The number of the next sends that find the queue full.
        var fullQueue = 0
    }

    /// A frame that a node sends again and again.
    struct Broadcast: Sendable {
        let identifier: CANIdentifier
        let interval: Duration
        /// The time in which the node sends nothing.
        var pause: Range<MonotonicTime>?
        /// Returns the data of the frame that is sent at a time.
        let data: @Sendable (MonotonicTime) -> [UInt8]
    }

    /// The requests that were sent, with the identifiers.
    struct Sent: Hashable, Sendable {
        let identifier: UInt32
        let payload: [UInt8]
        let time: MonotonicTime
    }

    fileprivate struct State {
        var channels: Set<CANChannel> = []
        var filters: [CANFilter] = []
        /// The inputs to come, in order.
        var inputs: [(time: MonotonicTime, input: CANInput)] = []
        var nextTraffic: MonotonicTime
        /// The times of the next broadcasts, by the identifier; no entry for one whose first frame comes at once.
        var nextBroadcasts: [CANIdentifier: MonotonicTime] = [:]
        var longReplies = 0
        var isClosed = false
        var isInterrupted = false
    }

    /// What outlives a port: a session opens a new one at each contact.
    final class Bus: Sendable {
        let conditions = Mutex(Conditions())
        let sent = Mutex<[Sent]>([])
    }

    let interface = "can0"
    private let bus: Bus
    private let watcher: @Sendable ([UInt8]) -> Void
    private let vehicle: SharedVehicle
    private let clock: ManualClock
    private let state: Mutex<State>

    /// The interval of the frames that the vehicle sends by itself.
    private static let trafficInterval = Duration.milliseconds(10)

    /// - Parameter watcher: called with each request that is sent.
    init(
        _ bus: Bus,
        _ vehicle: SharedVehicle,
        _ clock: ManualClock,
        watcher: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.bus = bus
        self.watcher = watcher
        self.vehicle = vehicle
        self.clock = clock
        self.state = Mutex(State(nextTraffic: clock.now))
    }

    func details() throws(CANError) -> CANDetails { self.bus.conditions.withLock { $0.details } }
    func receiveFrames(_ filters: [CANFilter]) throws(CANError) { self.state.withLock { $0.filters = filters } }
    func open(_ channel: CANChannel) throws(CANError) { self.state.withLock { _ = $0.channels.insert(channel) } }
    func close(_ channel: CANChannel) { self.state.withLock { _ = $0.channels.remove(channel) } }
    func interruptReceive() { self.state.withLock { $0.isInterrupted = true } }
    func close() { self.state.withLock { $0.isClosed = true } }

    func send(_ message: [UInt8], over channel: CANChannel) throws(CANError) {
        let isFull = self.bus.conditions.withLock { conditions in
            guard conditions.fullQueue > 0 else { return false }
            conditions.fullQueue -= 1
            return true
        }
        if isFull { throw .queueFull }
        guard self.state.withLock({ $0.channels.contains(channel) }) else { throw .closed }
        let now = self.clock.now
        let identifier = channel.transmit.number
        self.bus.sent.withLock { $0.append(Sent(identifier: identifier, payload: message, time: now)) }
        self.watcher(message)
        let target: RequestTarget
        if identifier == 0x7DF, !channel.transmit.isExtended {
            target = .functional
        } else if let ecu = ECU.allCases.first(where: { $0.identifier == identifier + 8 }), !channel.transmit.isExtended
        {
            target = .physical(ecu)
        } else {
            return
        }
        if self.bus.conditions.withLock({ $0.isAsleep }) { return }
        for reply in self.vehicle.withVehicle({ $0.replies(to: message, target: target, at: now) }) {
            self.deliver(reply.message, of: reply.ecu, at: now + reply.delay)
        }
    }

    /// Has a reply arrive: its first frame, and the whole message if a channel has answered that frame.
    private func deliver(_ message: [UInt8], of ecu: ECU, at time: MonotonicTime) {
        let identifier = CANIdentifier(ecu.identifier, isExtended: false)
        let lossInterval = self.bus.conditions.withLock { $0.lossInterval }
        self.state.withLock { state in
            let channel = state.channels.first { $0.receive == identifier }
            guard message.count > 7 else {
                let frame = [UInt8(message.count)] + message
                state.schedule(.frame(identifier, frame, at: time), at: time)
                if let channel { state.schedule(.message(message, channel), at: time) }
                return
            }
            let first = [0x10 | UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message.prefix(6)
            state.schedule(.frame(identifier, first, at: time), at: time)
            guard let channel else { return }
            state.longReplies += 1
            if let lossInterval, state.longReplies.isMultiple(of: lossInterval) {
                // The kernel waits a second for the missing frame.
                state.schedule(.failure(.damaged, channel), at: time + .seconds(1))
            } else {
                state.schedule(.message(message, channel), at: time + .microseconds(300 * (message.count / 7)))
            }
        }
    }

    func receiveAvailable() throws(CANError) -> CANInput? { try self.next(at: self.clock.now) }

    func receive(until deadline: MonotonicTime) async throws(CANError) -> CANInput {
        while true {
            if Task.isCancelled { return .interrupted }
            let now = self.clock.now
            if let input = try self.next(at: now) { return input }
            if self.takeInterrupt() { return .interrupted }
            if now >= deadline { return .deadline }
            let next = self.state.withLock { state in
                let broadcasts = self.heardBroadcasts(state).map { state.nextBroadcasts[$0.identifier] ?? now }
                return ([state.inputs.first?.time, self.isBusy(state) ? state.nextTraffic : nil] + broadcasts)
                    .compactMap(\.self).min()
            }
            try? await self.clock.sleep(until: max(now, min(deadline, next ?? deadline)))
        }
    }

    private func takeInterrupt() -> Bool {
        self.state.withLock { state in
            defer { state.isInterrupted = false }
            return state.isInterrupted
        }
    }

    /// Returns the broadcasts that pass the filters.
    private func heardBroadcasts(_ state: State) -> [Broadcast] {
        let conditions = self.bus.conditions.withLock { $0 }
        guard !conditions.isAsleep, !conditions.isDamaged else { return [] }
        return conditions.broadcasts.filter { broadcast in state.filters.contains { $0.passes(broadcast.identifier) } }
    }

    /// Whether frames of other nodes pass the filters.
    private func isBusy(_ state: State) -> Bool {
        let conditions = self.bus.conditions.withLock { $0 }
        return conditions.isDamaged
            || conditions.hasTraffic && !conditions.isAsleep && state.filters.contains { $0.mask == 0 }
    }

    /// Returns the input that has arrived by a time.
    private func next(at now: MonotonicTime) throws(CANError) -> CANInput? {
        let conditions = self.bus.conditions.withLock { $0 }
        if conditions.isDown { throw .down(self.interface) }
        if let report = self.bus.conditions.withLock({ $0.report.take() }) { return .errors(report) }
        let input = self.state.withLock { state -> Result<CANInput?, CANError> in
            guard !state.isClosed else { return .failure(.closed) }
            if let first = state.inputs.first, first.time <= now { return .success(state.inputs.removeFirst().input) }
            for broadcast in self.heardBroadcasts(state) {
                let time = state.nextBroadcasts[broadcast.identifier] ?? now
                guard time <= now else { continue }
                let next = time + broadcast.interval
                let pause = broadcast.pause.flatMap { $0.contains(next) ? $0.upperBound : nil }
                state.nextBroadcasts[broadcast.identifier] = pause ?? next
                return .success(.frame(broadcast.identifier, broadcast.data(time), at: time))
            }
            guard self.isBusy(state), state.nextTraffic <= now else { return .success(nil) }
            state.nextTraffic = now + Self.trafficInterval
            if conditions.isDamaged { return .success(.errors(CANErrorReport(kinds: [.violation, .bus]))) }
            return .success(.frame(CANIdentifier(0x123, isExtended: false), [1, 2, 3], at: now))
        }
        return try input.get()
    }
}

extension SimulatedPort.State {
    fileprivate mutating func schedule(_ input: CANInput, at time: MonotonicTime) {
        let index = self.inputs.firstIndex { $0.time > time } ?? self.inputs.endIndex
        self.inputs.insert((time, input), at: index)
    }
}

extension CANFilter {
    fileprivate func passes(_ identifier: CANIdentifier) -> Bool {
        identifier.isExtended == self.identifier.isExtended
            && identifier.number & self.mask == self.identifier.number & self.mask
    }
}
