// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base
internal import EventLoop
internal import Glibc

/// A server of simulated adapters, one for each TCP client and one on a pseudo terminal, all in one vehicle.
package final class SimulatorServer: Sendable {
    package struct Options: Sendable {
        package var vehicle = SimulatedVehicle.Options()
        package var adapter = SimulatedAdapter.Options()
        /// The loopback address to listen on.
        package var host = "127.0.0.1"
        /// The TCP port: zero for any free port, nil for no TCP.
        package var port: UInt16? = 35000
        /// Whether an adapter has power between two TCP clients: the next one gets it with its settings.
        ///
        /// The adapter on the pseudo terminal always has.
        package var keepsPower = false
        /// Whether the server also opens a pseudo terminal.
        package var offersTerminal = false
        /// The path of a log with a line for each message of an ECU: milliseconds since the boot, ECU, bytes.
        package var log: String?

        package init() {}
    }

    /// The address for clients, as in the configuration (`tcp:127.0.0.1:35000`).
    ///
    /// Without TCP it is the address of the pseudo terminal.
    package let address: String
    /// The path of the pseudo terminal.
    package let terminal: String?
    /// The vehicle of all adapters.
    package let vehicle: SharedVehicle
    private let adapter: SimulatedAdapter.Options
    private let keepsPower: Bool
    private let log: String?
    private let listener: NonblockingDescriptor?
    private let terminalEnds: (ours: NonblockingDescriptor, other: NonblockingDescriptor)?
    private let stop: (read: NonblockingDescriptor, write: NonblockingDescriptor)

    /// Opens the TCP socket and the pseudo terminal of `options`.
    ///
    /// The vehicle begins its first trip.
    package init(_ options: Options = Options()) throws(SimulatorError) {
        self.vehicle = SharedVehicle(SimulatedVehicle(options.vehicle, startedAt: BootClock().now))
        self.adapter = options.adapter
        self.keepsPower = options.keepsPower
        self.log = options.log
        var address: String?
        var listener: NonblockingDescriptor?
        if let wanted = options.port {
            let (socket, port) = try NonblockingDescriptor.listen(host: options.host, port: wanted)
            listener = socket
            address = "tcp:\(options.host):\(port)"
        }
        self.listener = listener
        if options.offersTerminal {
            let (ours, other, path) = try NonblockingDescriptor.terminal()
            self.terminalEnds = (ours, other)
            self.terminal = path
        } else {
            self.terminalEnds = nil
            self.terminal = nil
        }
        self.address = address ?? self.terminal.map { "serial:\($0)" } ?? ""
        self.stop = try NonblockingDescriptor.pipe()
    }

    /// Serves on a thread of its own until the task is cancelled.
    package func run() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                Thread.start(named: "simulator") {
                    continuation.resume(with: Result { try self.serve() })
                }
            }
        } onCancel: {
            _ = self.stop.write.write([0], isSocket: false)
        }
    }

    // MARK: - Server thread

    /// A client of one of the adapters.
    private struct Client {
        let file: NonblockingDescriptor
        let isSocket: Bool
        var adapter: LinkedAdapter
        /// The bytes that are not written to the client yet.
        var pending: [UInt8] = []

        static let pendingLimit = 65_536

        /// Writes the output of the adapter to the client.
        ///
        /// - Returns: whether the client is still connected.
        mutating func flush(at now: MonotonicTime) -> Bool {
            self.pending += self.adapter.output(at: now)
            if !self.pending.isEmpty {
                guard let count = self.file.write(self.pending, isSocket: self.isSocket) else { return false }
                self.pending.removeFirst(count)
            }
            if self.pending.count > Self.pendingLimit {
                // The client does not read. The terminal stays open for the next client.
                guard !self.isSocket else { return false }
                self.pending = []
            }
            return !self.adapter.isDisconnected
        }
    }

    private static let clientLimit = 16

    private func serve() throws(SimulatorError) {
        var clients: [Client] = []
        // The adapter of the last TCP client, if it keeps its power.
        var kept: SimulatedAdapter?
        func disconnect(_ client: Client) {
            if self.keepsPower, client.isSocket { kept = client.adapter.adapterAfterLoss }
        }
        if let file = self.terminalEnds?.ours {
            clients.append(Client(file: file, isSocket: false, adapter: LinkedAdapter(self.adapter)))
        }
        while true {
            let now = BootClock().now
            clients = clients.compactMap { client in
                var client = client
                if client.flush(at: now) { return client }
                disconnect(client)
                return nil
            }
            let next = clients.compactMap(\.adapter.nextOutput).min()
            var files = [Self.poll(self.stop.read)]
            files += clients.map { Self.poll($0.file, alsoForWriting: !$0.pending.isEmpty) }
            if let listener = self.listener { files.append(Self.poll(listener)) }
            try Self.wait(for: &files, until: next)
            if files[0].revents != 0 { return }
            let isReady = files.dropFirst().map { $0.revents != 0 }
            let received = BootClock().now
            for index in clients.indices.reversed() where isReady[index] {
                guard let bytes = clients[index].file.read() else {
                    disconnect(clients.remove(at: index))
                    continue
                }
                let messages = self.vehicle.withVehicle { vehicle in
                    let before = vehicle.logCount
                    clients[index].adapter.bytesReceived(bytes, at: received, in: &vehicle)
                    return vehicle.log.suffix(vehicle.logCount - before)
                }
                try self.write(messages)
            }
            if let listener = self.listener, isReady.last == true, let file = try listener.accept(),
                clients.count < Self.clientLimit
            {
                let adapter = kept.take().map { LinkedAdapter($0) } ?? LinkedAdapter(self.adapter)
                clients.append(Client(file: file, isSocket: true, adapter: adapter))
            }
        }
    }

    /// Appends messages to the log.
    ///
    /// The adapter sends them afterwards. So the log of a killed server has every message that a client got.
    private func write(_ messages: ArraySlice<LoggedMessage>) throws(SimulatorError) {
        guard let log = self.log, !messages.isEmpty else { return }
        let lines = messages.map { message in
            let bytes = message.bytes.hexadecimal(separator: "", uppercase: false)
            return "\(message.time.sinceBoot.milliseconds) \(message.ecu) \(bytes)\n"
        }
        guard TextFile.write(Array(lines.joined().utf8), to: log, how: .appending) else {
            throw .system(call: "write \(log)", code: errno)
        }
    }

    private static func poll(_ file: NonblockingDescriptor, alsoForWriting: Bool = false) -> pollfd {
        pollfd(fd: file.number, events: Int16(POLLIN | (alsoForWriting ? POLLOUT : 0)), revents: 0)
    }

    private static func wait(for files: inout [pollfd], until time: MonotonicTime?) throws(SimulatorError) {
        var timeout: Int32 = -1
        if let time {
            // The timeout is rounded up: after an early end the loop would wait again.
            timeout = Int32(clamping: max(0, (time - BootClock().now + .microseconds(999)).milliseconds))
        }
        let count = nfds_t(files.count)
        let result = unsafe files.withUnsafeMutableBufferPointer { unsafe Glibc.poll($0.baseAddress, count, timeout) }
        if result < 0, errno != EINTR { throw .system(call: "poll", code: errno) }
        if result <= 0 {
            for index in files.indices { files[index].revents = 0 }
        }
    }
}
