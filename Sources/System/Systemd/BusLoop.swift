// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSystemd
import EventLoop
import Glibc

/// The thread of a connection, and the state that only this thread may access.
@safe
final class BusLoop: @unchecked Sendable {
    private struct Shared {
        var jobs: [@Sendable () -> Void] = []
        var isStopped = false
    }

    /// The timeout of the connection in microseconds; sd-bus itself would wait for 90 seconds.
    private static let connectTimeout: UInt64 = 5_000_000

    private let shared = Locked(Shared())
    private let interrupt = PollInterrupt()

    // Accessed by the bus thread only.
    private(set) var bus: OpaquePointer?
    private var calls: [ObjectIdentifier: PendingCall] = [:]
    private var subscriptions: [Subscription] = []
    private var objects: [String: ExportedObject] = [:]

    private let closed: @Sendable () -> Void

    init(_ address: BusConnection.Address, closed: @escaping @Sendable () -> Void) throws(BusError) {
        self.closed = closed
        unsafe self.bus = try Self.open(address)
        Thread.start(named: "d-bus") { self.run() }
    }

    var isStopped: Bool { self.shared.withLock { $0.isStopped } }

    func stop() {
        self.shared.withLock { $0.isStopped = true }
        self.interrupt.signal()
    }

    // MARK: - From any task

    func call(
        _ call: MethodCall,
        timeout: Duration,
        onAnswer: @escaping @Sendable ([BusValue]) -> Void
    ) async throws(BusError) -> [BusValue] {
        let pending = PendingCall(self, onAnswer)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.perform({ self.begin(call, timeout, pending, continuation) }, otherwise: { continuation.resume() })
            }
        } onCancel: {
            self.perform({ self.finish(pending, .failure(.cancelled)) }, otherwise: {})
        }
        return try pending.result.get()
    }

    func subscribe(_ rule: String, _ handler: @escaping @Sendable (Signal) -> Void) async throws(BusError) {
        let result = await withCheckedContinuation { continuation in
            let subscription = Subscription(handler, continuation)
            self.perform({ self.begin(rule, subscription) }, otherwise: { subscription.finish() })
        }
        try result.get()
    }

    func post(_ call: MethodCall) {
        self.perform({ self.send(call) }, otherwise: {})
    }

    func export(_ path: String, _ handler: @escaping BusConnection.Handler) async throws(BusError) {
        try await self.performing { () throws(BusError) in
            let object = ExportedObject(handler)
            let result = unsafe sd_bus_add_object(
                self.bus,
                &object.slot,
                path,
                { message, object, _ in
                    guard let message = unsafe BusMessage(message), let object = unsafe object else { return 0 }
                    return unsafe Unmanaged<ExportedObject>.fromOpaque(object).takeUnretainedValue().answer(message)
                },
                Unmanaged.passUnretained(object).toOpaque()
            )
            guard result >= 0 else { throw .invalid(systemText(-result)) }
            self.objects.updateValue(object, forKey: path)?.finish()
        }
    }

    func emit(_ signal: Signal) async throws(BusError) {
        try await self.performing { () throws(BusError) in try self.send(signal) }
    }

    /// Runs `job` on the bus thread; runs `otherwise` at once if that thread has ended.
    func perform(_ job: @escaping @Sendable () -> Void, otherwise: () -> Void) {
        let isAccepted = self.shared.withLock { shared in
            if !shared.isStopped { shared.jobs.append(job) }
            return !shared.isStopped
        }
        if isAccepted { self.interrupt.signal() } else { otherwise() }
    }

    func performing(_ job: @escaping @Sendable () throws(BusError) -> Void) async throws(BusError) {
        let result: Result<Void, BusError> = await withCheckedContinuation { continuation in
            self.perform(
                {
                    do throws(BusError) {
                        try job()
                        continuation.resume(returning: .success(()))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                },
                otherwise: { continuation.resume(returning: .failure(.disconnected)) }
            )
        }
        try result.get()
    }

    // MARK: - On the thread

    private static func open(_ address: BusConnection.Address) throws(BusError) -> OpaquePointer {
        var bus: OpaquePointer?
        var result: Int32
        switch address {
        case .system:
            result = unsafe sd_bus_open_system(&bus)
        case .bus(let address):
            result = unsafe sd_bus_new(&bus)
            if result >= 0 { result = unsafe sd_bus_set_address(bus, address) }
            if result >= 0 { result = unsafe sd_bus_set_bus_client(bus, 1) }
            if result >= 0 { result = unsafe sd_bus_negotiate_fds(bus, 1) }
            if result >= 0 { result = unsafe sd_bus_start(bus) }
        }
        guard result >= 0, let bus = unsafe bus else {
            unsafe sd_bus_unref(bus)
            throw .cannotConnect(systemText(-result))
        }
        return unsafe bus
    }

    private func run() {
        let limit = Self.now + Self.connectTimeout
        var isConnected = false
        while !self.isStopped {
            let jobs = self.shared.withLock { shared in
                defer { shared.jobs = [] }
                return shared.jobs
            }
            for job in jobs { job() }
            let result = unsafe sd_bus_process(self.bus, nil)
            if result < 0 { break }
            isConnected = unsafe isConnected || sd_bus_is_ready(self.bus) > 0
            if !isConnected && Self.now >= limit { break }
            if result == 0 { self.wait(until: isConnected ? .max : limit) }
        }
        self.end(isConnected: isConnected)
    }

    private func wait(until limit: UInt64) {
        let events = unsafe sd_bus_get_events(self.bus)
        var deadline: UInt64 = 0
        guard events >= 0, unsafe sd_bus_get_timeout(self.bus, &deadline) >= 0 else { return }
        var files = [
            pollfd(fd: unsafe sd_bus_get_fd(self.bus), events: Int16(truncatingIfNeeded: events), revents: 0),
            pollfd(fd: self.interrupt.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&files, nfds_t(files.count), Self.milliseconds(until: min(deadline, limit)))
        if files[1].revents != 0 { self.interrupt.clear() }
    }

    /// The time of CLOCK_MONOTONIC in microseconds, as sd-bus counts it.
    private static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }

    /// Returns the time until a deadline, for `poll`.
    ///
    /// - Parameter deadline: microseconds of CLOCK_MONOTONIC; `UInt64.max` for none.
    private static func milliseconds(until deadline: UInt64) -> Int32 {
        guard deadline != .max else { return -1 }
        let now = Self.now
        return deadline <= now ? 0 : Int32(min((deadline - now) / 1000 + 1, 3_600_000))
    }

    /// Passes the message of a call to `body`, which must not keep it.
    private func withMessage(_ call: MethodCall, _ body: (BusMessage) -> Void) throws(BusError) {
        try MessageWriter.check(call.destination, call.path, call.interface, call.member)
        var pointer: OpaquePointer?
        defer { unsafe sd_bus_message_unref(pointer) }
        let result = unsafe sd_bus_message_new_method_call(
            self.bus,
            &pointer,
            call.destination,
            call.path,
            call.interface,
            call.member
        )
        guard result >= 0, let message = unsafe BusMessage(pointer) else { throw .invalid(systemText(-result)) }
        try MessageWriter.append(call.arguments, to: message)
        body(message)
    }

    private func send(_ call: MethodCall) {
        try? self.withMessage(call) { message in
            unsafe sd_bus_message_set_expect_reply(message.pointer, 0)
            unsafe sd_bus_send(self.bus, message.pointer, nil)
        }
    }

    func send(_ signal: Signal) throws(BusError) {
        try MessageWriter.check(signal.path, signal.interface, signal.member)
        var pointer: OpaquePointer?
        defer { unsafe sd_bus_message_unref(pointer) }
        let result = unsafe sd_bus_message_new_signal(
            self.bus,
            &pointer,
            signal.path,
            signal.interface,
            signal.member
        )
        guard result >= 0, let message = unsafe BusMessage(pointer) else { throw .invalid(systemText(-result)) }
        try MessageWriter.append(signal.arguments, to: message)
        guard unsafe sd_bus_send(self.bus, message.pointer, nil) >= 0 else { throw .disconnected }
    }

    private func begin(
        _ call: MethodCall,
        _ timeout: Duration,
        _ pending: PendingCall,
        _ continuation: CheckedContinuation<Void, Never>
    ) {
        guard pending.begin(continuation) else { return }
        do throws(BusError) {
            try self.withMessage(call) { self.begin($0, timeout, pending) }
        } catch {
            pending.finish(.failure(error))
        }
    }

    private func begin(_ message: BusMessage, _ timeout: Duration, _ pending: PendingCall) {
        let result = unsafe sd_bus_call_async(
            self.bus,
            &pending.slot,
            message.pointer,
            { message, pending, _ in
                guard let message = unsafe BusMessage(message), let pending = unsafe pending else { return 0 }
                let call = unsafe Unmanaged<PendingCall>.fromOpaque(pending).takeUnretainedValue()
                // When the connection ends, sd-bus itself answers every pending call.
                let isOpen = unsafe sd_bus_is_open(call.loop.bus) > 0
                call.loop.finish(call, isOpen ? message.result : .failure(.disconnected))
                return 0
            },
            unsafe Unmanaged.passUnretained(pending).toOpaque(),
            Self.microseconds(timeout)
        )
        guard result >= 0 else { return pending.finish(.failure(.disconnected)) }
        self.calls[ObjectIdentifier(pending)] = pending
    }

    /// Returns the timeout in microseconds: at least 1, because 0 means sd-bus's own timeout, and at most one day.
    private static func microseconds(_ timeout: Duration) -> UInt64 {
        let (seconds, attoseconds) = min(max(timeout, .microseconds(1)), .seconds(86_400)).components
        return UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
    }

    private func finish(_ call: PendingCall, _ result: Result<[BusValue], BusError>) {
        self.calls[ObjectIdentifier(call)] = nil
        call.finish(result)
    }

    private func begin(_ rule: String, _ subscription: Subscription) {
        let result = unsafe sd_bus_add_match_async(
            self.bus,
            &subscription.slot,
            rule,
            { message, subscription, _ in
                guard let message = unsafe BusMessage(message), let subscription = unsafe subscription else { return 0 }
                unsafe Unmanaged<Subscription>.fromOpaque(subscription).takeUnretainedValue().signalReceived(message)
                return 0
            },
            { message, subscription, _ in
                guard let message = unsafe BusMessage(message), let subscription = unsafe subscription else { return 0 }
                unsafe Unmanaged<Subscription>.fromOpaque(subscription).takeUnretainedValue()
                    .installed(message.result.map { _ in })
                return 0
            },
            unsafe Unmanaged.passUnretained(subscription).toOpaque()
        )
        guard result >= 0 else {
            subscription.installed(.failure(.invalid(systemText(-result))))
            return subscription.finish()
        }
        self.subscriptions.append(subscription)
    }

    /// Ends the connection, and fails everything that is pending.
    ///
    /// - Parameter isConnected: whether queued messages are flushed; before the connection, sd-bus would wait for it.
    private func end(isConnected: Bool) {
        let jobs = self.shared.withLock { shared in
            shared.isStopped = true
            defer { shared.jobs = [] }
            return shared.jobs
        }
        for job in jobs { job() }
        for call in Array(self.calls.values) { self.finish(call, .failure(.disconnected)) }
        if isConnected { unsafe sd_bus_flush(self.bus) }
        unsafe sd_bus_close(self.bus)
        for subscription in self.subscriptions { subscription.finish() }
        self.subscriptions = []
        for object in self.objects.values { object.finish() }
        self.objects = [:]
        unsafe sd_bus_unref(self.bus)
        unsafe self.bus = nil
        self.closed()
    }
}
