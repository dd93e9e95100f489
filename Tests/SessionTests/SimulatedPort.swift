// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Simulator
import SocketCAN
import Synchronization

/// A CAN interface whose bus has a simulated vehicle, in virtual time.
///
/// The vehicle has 11-bit identifiers, or it is one of J1939. Long replies arrive whole over the channel of their ECU, as the kernel delivers
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
        /// The interval in the count of frames of a J1939 vehicle at which one is lost; nil: none is.
        var groupLossInterval: Int?
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
        /// The frames of a J1939 vehicle that are on the bus, in order, and the time until which its broadcasts are there.
        var groupFrames: [(identifier: UInt32, data: [UInt8], time: MonotonicTime)] = []
        var groupsUntil: MonotonicTime
        /// The times of the long messages: a node sends one at a time.
        var longMessages: [(source: UInt8, time: Range<MonotonicTime>)] = []
        var groupCount = 0
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
    private let listener: @Sendable (UInt32) -> Void
    private let vehicle: SharedVehicle
    private let clock: ManualClock
    private let state: Mutex<State>

    /// The interval of the frames that the vehicle sends by itself.
    private static let trafficInterval = Duration.milliseconds(10)

    /// - Parameters:
    ///   - watcher: called with each request that is sent.
    ///   - listener: called with each group of J1939 that is waited for.
    init(
        _ bus: Bus,
        _ vehicle: SharedVehicle,
        _ clock: ManualClock,
        watcher: @escaping @Sendable ([UInt8]) -> Void,
        listener: @escaping @Sendable (UInt32) -> Void
    ) {
        self.bus = bus
        (self.watcher, self.listener) = (watcher, listener)
        self.vehicle = vehicle
        self.clock = clock
        self.state = Mutex(State(nextTraffic: clock.now, groupsUntil: clock.now))
    }

    func details() throws(CANError) -> CANDetails { self.bus.conditions.withLock { $0.details } }
    func receiveFrames(_ filters: [CANFilter]) throws(CANError) {
        self.state.withLock { $0.filters = filters }
        // A group of J1939, from any sender and with any priority, that is not a part of a long message or a refusal.
        let groups = filters.filter { $0.mask == 0x03FF_FF00 }.map { $0.identifier.number >> 8 }
        if let group = groups.first(where: { ![0xE8, 0xEB, 0xEC].contains($0 >> 8) }) { self.listener(group) }
    }

    func open(_ channel: CANChannel) throws(CANError) { self.state.withLock { _ = $0.channels.insert(channel) } }
    func close(_ channel: CANChannel) { self.state.withLock { _ = $0.channels.remove(channel) } }
    func sendFrame(_ data: [UInt8], _ identifier: CANIdentifier) throws(CANError) {
        if self.takeFullQueue() { throw .queueFull }
        let now = self.clock.now
        self.bus.sent.withLock { $0.append(Sent(identifier: identifier.number, payload: data, time: now)) }
        self.watcher(data.reversed())
        guard identifier.isExtended, identifier.number == 0x18EA_FFF9 else { return }
        if self.bus.conditions.withLock({ $0.isAsleep }) { return }
        let group = data.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        let answers = self.vehicle.withVehicle { vehicle in
            vehicle.bus == .j1939 ? vehicle.answers(to: PGN(rawValue: group), at: now) : []
        }
        self.state.withLock { $0.put(answers, at: now) }
    }

    /// Puts the broadcasts of the next second on the bus, whether they pass a filter or not.
    private func broadcastGroups(at now: MonotonicTime, _ state: inout State) {
        guard state.groupsUntil <= now + .seconds(1) else { return }
        let start = max(state.groupsUntil, now)
        state.groupsUntil = now + .seconds(2)
        guard !self.bus.conditions.withLock({ $0.isAsleep || $0.isDamaged }) else { return }
        let end = state.groupsUntil
        state.put(
            self.vehicle.withVehicle { vehicle in
                guard vehicle.bus == .j1939 else { return [] }
                let groups = ParameterGroup.all.map(\.pgn) + [.activeCodes]
                return groups.flatMap { vehicle.broadcasts(of: $0, from: start, until: end) }
            },
            at: now
        )
    }

    /// Returns the next frame of a J1939 vehicle that passes the filters, until a time; removes those before it.
    private func takeGroupFrame(until now: MonotonicTime, _ state: inout State) -> CANInput? {
        let conditions = self.bus.conditions.withLock { $0 }
        while let frame = state.groupFrames.first, frame.time <= now {
            state.groupFrames.removeFirst()
            state.groupCount += 1
            let isLost = conditions.groupLossInterval.map { state.groupCount.isMultiple(of: $0) } ?? false
            let identifier = CANIdentifier(frame.identifier, isExtended: true)
            guard !isLost, !conditions.isAsleep, state.filters.contains(where: { $0.passes(identifier) }) else {
                continue
            }
            return .frame(identifier, frame.data, at: frame.time)
        }
        return nil
    }

    func interruptReceive() { self.state.withLock { $0.isInterrupted = true } }
    func close() { self.state.withLock { $0.isClosed = true } }

    func send(_ message: [UInt8], over channel: CANChannel) throws(CANError) {
        if self.takeFullQueue() { throw .queueFull }
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
        let replies = self.vehicle.withVehicle { vehicle in
            vehicle.bus == .j1939 ? [] : vehicle.replies(to: message, target: target, at: now)
        }
        for reply in replies {
            self.deliver(reply.message, of: reply.ecu, at: now + reply.delay)
        }
    }

    private func takeFullQueue() -> Bool {
        self.bus.conditions.withLock { conditions in
            guard conditions.fullQueue > 0 else { return false }
            conditions.fullQueue -= 1
            return true
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
                let group = state.groupFrames.first { frame in
                    let identifier = CANIdentifier(frame.identifier, isExtended: true)
                    return state.filters.contains { $0.passes(identifier) }
                }?.time
                // Later frames are not there yet.
                let known = state.groupFrames.isEmpty ? nil : state.groupsUntil - .seconds(1)
                return
                    ([group, known, state.inputs.first?.time, self.isBusy(state) ? state.nextTraffic : nil] + broadcasts)
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
            self.broadcastGroups(at: now, &state)
            if let frame = self.takeGroupFrame(until: now, &state) { return .success(frame) }
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
    fileprivate mutating func put(_ messages: [GroupMessage], at now: MonotonicTime) {
        self.longMessages.removeAll { $0.time.upperBound < now }
        for message in messages {
            var frames = message.frames
            guard let first = frames.first, let last = frames.last, frames.count > 1 else {
                self.groupFrames += frames
                continue
            }
            var time = first.time..<last.time + .milliseconds(50)
            while let other = self.longMessages.first(where: { $0.source == message.source && $0.time.overlaps(time) })
            {
                let delay = other.time.upperBound - time.lowerBound
                time = time.lowerBound + delay..<time.upperBound + delay
            }
            let delay = time.lowerBound - first.time
            for index in frames.indices { frames[index].time = frames[index].time + delay }
            self.longMessages.append((message.source, time))
            self.groupFrames += frames
        }
        self.groupFrames.sort { $0.time < $1.time }
    }

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
