// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import CANBus
import ELM327
import SocketCAN

/// A CAN interface of this machine, and the ECUs on its bus.
///
/// `CANConnection` performs the actions of the state machines of `CANBus`.
final class CANConnection: VehicleBus {
    /// The time without a frame after which the bus may sleep.
    private static let quietLimit = Duration.seconds(1)
    /// The time to listen then, before the next request.
    private static let checkDuration = Duration.milliseconds(600)
    /// The longest time for which a value in a frame waits to be told.
    private static let hearingPause = Duration.milliseconds(100)
    /// The most inputs that are taken in before a request, so that a flood cannot stop it.
    private static let drainLimit = 4096

    private let name: String
    private let opener: Session.CANOpener
    private let clock: any MonotonicClock
    private var ports: CANChannels?
    private var dialogue = CANDialogue()
    private var groups = GroupDialogue()
    private(set) var report: AdapterReport?
    private(set) var requestCount = 0
    /// The time of the last frame of another node; nil if the bus was silent at start-up, and was used all the same.
    private var lastTraffic: MonotonicTime?
    /// The state of the controller, over all connections.
    private var controller = ControllerReport()
    private var heard = HeardValues()

    init(_ name: String, _ opener: @escaping Session.CANOpener, clock: any MonotonicClock) {
        self.name = name
        self.opener = opener
        self.clock = clock
    }

    var isOpen: Bool { self.ports != nil }
    var headerChanges: Int { 0 }

    // MARK: - The connection

    func open() async throws(SessionError) -> @Sendable () -> Void {
        do {
            let port = try self.opener()
            self.ports = CANChannels(port)
            return { port.interruptReceive() }
        } catch {
            throw self.unusable(error)
        }
    }

    func close(keepsSettings: Bool) {
        self.ports?.port.close()
        self.ports = nil
        self.report = nil
        self.requestCount = 0
        self.lastTraffic = nil
        self.heard = HeardValues()
    }

    func interruptRead() { self.ports?.port.interruptReceive() }

    func signalStrength() async -> Int? { nil }

    func controllerReport() -> ControllerReport? {
        if let details = try? self.ports?.port.details() { self.controller.detailsRead(details) }
        return self.controller
    }

    private func unusable(_ error: CANError) -> SessionError {
        .link(.cannotOpen(address: "can:\(self.name)", reason: error.description))
    }

    /// Performs an operation of the open port, whose failure ends the session.
    private func withPorts<Success>(
        _ body: (inout CANChannels) throws(CANError) -> Success
    ) throws(SessionError) -> Success {
        guard var ports = self.ports.take() else { throw .link(.closed) }
        defer { self.ports = ports }
        do { return try body(&ports) } catch { throw Self.lost(error) }
    }

    private static func lost(_ error: CANError) -> SessionError {
        error == .closed ? .link(.closed) : .link(.lost(error.description))
    }

    /// Waits for an input.
    private func receive(until deadline: MonotonicTime) async throws(SessionError) -> CANInput {
        guard let port = self.ports?.port else { throw .link(.closed) }
        do throws(CANError) {
            let input = try await port.receive(until: deadline)
            // The caller that interrupted the wait is served between two requests. Cancellation ends the wait.
            if input == .interrupted, Task.isCancelled { throw CANError.closed }
            return input
        } catch {
            throw Self.lost(error)
        }
    }

    // MARK: - Listening

    func observeTraffic() async throws(SessionError) -> Bool? {
        try await self.listen(for: TrafficWatch.duration) == .traffic
    }

    /// Listens to all frames until one arrives.
    private func listen(for duration: Duration) async throws(SessionError) -> TrafficWatch.Verdict {
        try self.withPorts { ports throws(CANError) in try ports.port.receiveFrames(CANFilter.all) }
        var watch = TrafficWatch(from: self.clock.now, for: duration)
        while let deadline = watch.deadline(at: self.clock.now) {
            switch try await self.receive(until: deadline) {
            case .frame, .message: watch.frameReceived()
            case .errors(let report):
                self.controller.errorReported(report)
                if report.kinds.contains(.busOff) { watch.faultReported(.busOff) }
                if !report.kinds.isDisjoint(with: [.violation, .bus]) { watch.faultReported(.violation) }
            case .failure, .interrupted, .deadline: continue
            }
        }
        try self.withPorts { ports throws(CANError) in try ports.filterReplies() }
        if watch.verdict == .traffic { self.lastTraffic = self.clock.now }
        return watch.verdict
    }

    /// Proves that nodes of the vehicle send, before a request.
    ///
    /// - Throws: `.busAsleep` if none does, or the reason for which the bus cannot be used.
    private func proveTraffic(for duration: Duration, _ details: CANDetails?) async throws(SessionError) {
        switch try await self.listen(for: duration) {
        case .traffic: return
        case .silent: throw .busAsleep
        case .busOff: throw self.unusable(.busOff(self.name))
        case .otherBitRate: throw self.unusable(.otherBitRate(self.name, details?.bitRate))
        }
    }

    /// Proves that nodes of the vehicle send, if none was heard for a while.
    private func proveTrafficIfQuiet() async throws(SessionError) {
        guard let lastTraffic = self.lastTraffic, self.clock.now - lastTraffic > Self.quietLimit else { return }
        try await self.proveTraffic(for: Self.checkDuration, nil)
    }

    // MARK: - Start-up

    func startUp(
        bus: BusProtocol?,
        requests: [BusRequest],
        wakes: Bool,
        progress: (StartUp.Phase, AdapterReport) throws(SessionError) -> Void
    ) async throws(SessionError) -> AdapterReport {
        let details = try self.withPorts { ports throws(CANError) in try ports.port.details() }
        self.controller.detailsRead(details)
        try progress(.configuring, AdapterReport())
        if let error = self.obstacle(details) { throw self.unusable(error) }
        do {
            try await self.proveTraffic(for: TrafficWatch.duration, details)
        } catch {
            guard error == .busAsleep, wakes else { throw error }
        }
        var startUp = CANStartUp(name: self.name, bitRate: details.bitRate, bus: bus, requests: requests)
        defer { self.report = startUp.report }
        var step = startUp.begin()
        var searched: BusProtocol?
        while true {
            switch step {
            case .ask(let request, let bus):
                if searched != bus {
                    searched = bus
                    try progress(.searching(bus), startUp.report)
                }
                step = startUp.answered(try await self.ask(request, on: bus, before: nil))
            case .listen(let request):
                searched = .j1939
                try progress(.searching(.j1939), startUp.report)
                step = startUp.answered(try await self.askForGroup(of: request, mayAsk: false, before: nil))
            case .finished(let report):
                try self.withPorts { ports throws(CANError) in try ports.keep(report.ecus.keys, on: report.bus) }
                return report
            case .failed(let error): throw .startUp(error)
            }
        }
    }

    /// Returns the reason for which no request can be sent, as far as the driver tells.
    private func obstacle(_ details: CANDetails) -> CANError? {
        if details.isListenOnly { return .listenOnly(self.name) }
        if details.state == .busOff { return .busOff(self.name) }
        guard let bitRate = details.bitRate, ![250_000, 500_000].contains(bitRate) else { return nil }
        return .bitRate(self.name, bitRate)
    }

    func finishStartUp() async throws(SessionError) {}

    // MARK: - Requests

    var hasSettings: Bool { false }

    func ask(
        _ request: BusRequest,
        on bus: BusProtocol,
        before deadline: MonotonicTime?
    ) async throws(SessionError) -> BusResult {
        try await self.proveTrafficIfQuiet()
        guard bus != .j1939 else { return try await self.askForGroup(of: request, before: deadline) }
        self.dialogue.begin(request, on: bus, at: self.clock.now)
        do {
            while true {
                switch self.dialogue.next(at: self.clock.now) {
                case .send(let bytes, let route): try self.send(bytes, route, before: deadline)
                case .wait(let end): try self.take(try await self.receive(until: end))
                case .finished(let result): return result
                }
            }
        } catch {
            self.dialogue.interrupt(at: self.clock.now)
            throw error
        }
    }

    private func send(_ bytes: [UInt8], _ route: CANRoute, before deadline: MonotonicTime?) throws(SessionError) {
        let channel = try self.withPorts { ports throws(CANError) in try ports.open(route) }
        try self.takeAvailable()
        guard self.dialogue.isSending else { return }
        if let deadline, self.clock.now > deadline { return self.dialogue.withdraw() }
        guard let port = self.ports?.port else { throw .link(.closed) }
        do throws(CANError) {
            try port.send(bytes, over: channel)
            self.requestCount += 1
            self.dialogue.requestSent(at: self.clock.now)
        } catch {
            switch error {
            case .queueFull: self.dialogue.requestNotSent(at: self.clock.now)
            case .notAcknowledged: self.dialogue.requestLost()
            default: throw Self.lost(error)
            }
        }
    }

    /// Takes in what has arrived before a request, because it is no answer to it.
    private func takeAvailable() throws(SessionError) {
        for _ in 0..<Self.drainLimit {
            guard let input = try self.withPorts({ ports throws(CANError) in try ports.port.receiveAvailable() }) else {
                return
            }
            try self.take(input)
        }
    }

    // MARK: - Groups of J1939

    /// Waits for a group of J1939, and requests it if it is not broadcast.
    private func askForGroup(
        of request: BusRequest,
        mayAsk: Bool = true,
        before deadline: MonotonicTime?
    ) async throws(SessionError) -> BusResult {
        try self.withPorts { ports throws(CANError) in try ports.receive(group: request.group) }
        // The frames of before may have waited for long.
        try self.takeAvailable()
        self.groups.begin(request, mayAsk: mayAsk, at: self.clock.now)
        do {
            while true {
                switch self.groups.next(at: self.clock.now) {
                case .send(let bytes, let identifier):
                    try await self.proveTrafficIfQuiet()
                    try self.send(bytes, CANIdentifier(identifier, isExtended: true), before: deadline)
                case .wait(let end): try self.take(try await self.receive(until: end))
                case .finished(let result):
                    // No frame wakes the agent while it waits for none.
                    try self.withPorts { ports throws(CANError) in try ports.receive(group: nil) }
                    return result
                }
            }
        } catch {
            self.groups.interrupt()
            throw error
        }
    }

    private func send(
        _ bytes: [UInt8],
        _ identifier: CANIdentifier,
        before deadline: MonotonicTime?
    ) throws(SessionError) {
        if let deadline, self.clock.now > deadline { return self.groups.withdraw() }
        guard let port = self.ports?.port else { throw .link(.closed) }
        do throws(CANError) {
            try port.sendFrame(bytes, identifier)
            self.requestCount += 1
            self.groups.requestSent(at: self.clock.now)
        } catch {
            guard error == .queueFull else { throw Self.lost(error) }
            self.groups.requestNotSent(at: self.clock.now)
        }
    }

    func idle(until deadline: MonotonicTime) async throws(SessionError) {
        while true {
            let end = self.heard.since.map { min(deadline, $0 + Self.hearingPause) } ?? deadline
            let input = try await self.receive(until: end)
            try self.take(input)
            // Frames may come without a pause.
            if input == .deadline || input == .interrupted || self.clock.now >= end { return }
        }
    }

    /// Passes an input on to the dialogue.
    private func take(_ input: CANInput) throws(SessionError) {
        let now = self.clock.now
        switch input {
        case .frame(let identifier, let data, let arrival):
            self.traffic(at: now)
            if let arrival { self.heard.frameReceived(data, identifier, at: arrival) }
            if identifier.isExtended { self.groups.frameReceived(data, identifier: identifier.number) }
            try self.frameReceived(data, identifier, at: now)
        case .message(let message, let channel):
            self.traffic(at: now)
            guard let ecu = channel.ecu, self.fits(channel) else { return }
            self.dialogue.messageReceived(message, from: ecu, at: now)
        case .failure(.notAcknowledged, _): self.dialogue.requestLost()
        case .failure(_, let channel):
            if let ecu = channel.ecu, self.fits(channel) { self.dialogue.messageDamaged(from: ecu, at: now) }
        case .errors(let report):
            self.controller.errorReported(report)
            if report.kinds.contains(.busOff) { throw Self.lost(.busOff(self.name)) }
        case .interrupted, .deadline: return
        }
    }

    private func traffic(at now: MonotonicTime) { if self.lastTraffic != nil { self.lastTraffic = now } }

    /// Whether a message has the address bytes of the open request.
    private func fits(_ channel: CANChannel) -> Bool {
        channel.addressExtension == self.dialogue.route?.addressExtension.map(CANChannel.Extension.init)
    }

    private func frameReceived(_ data: [UInt8], _ identifier: CANIdentifier, at now: MonotonicTime) throws(SessionError)
    {
        if let channel = self.ports?.channel(receiving: identifier) {
            guard let ecu = channel.ecu, self.fits(channel) else { return }
            let bytes = channel.addressExtension == nil ? data : Array(data.dropFirst())
            return self.dialogue.frameReceived(bytes, from: ecu, at: now)
        }
        guard let ecu = CANRoute.ecu(of: identifier.number, isExtended: identifier.isExtended),
            let control = data.first
        else { return }
        switch control >> 4 {
        case 0 where 1...7 ~= control && data.count > Int(control):
            self.dialogue.messageReceived(Array(data[1...Int(control)]), from: ecu, at: now)
        case 1:
            // Without a channel nobody has answered the first frame. The request is repeated over the new channel.
            try self.withPorts { ports throws(CANError) in try ports.open(ecuWith: identifier) }
            self.dialogue.messageDamaged(from: ecu, at: now)
        default: return
        }
    }

    // MARK: - Frames that nodes send by themselves

    var hearsFrames: Bool { true }

    func hear(_ parameters: [HeardParameter]) throws(SessionError) {
        self.heard.select(parameters)
        let identifiers = self.heard.identifiers
        try self.withPorts { ports throws(CANError) in try ports.hear(identifiers) }
    }

    func takeHeard() -> HeardValues.Batch { self.heard.take() }

    /// The bitmaps of the last vehicle of this process.
    private(set) var knownVehicle: KnownVehicle?
    func remember(_ vehicle: KnownVehicle) { self.knownVehicle = vehicle }
}

extension CANChannel.Extension {
    init(_ address: Addressing.Extension) {
        self.init(request: address.request, reply: address.reply)
    }
}
