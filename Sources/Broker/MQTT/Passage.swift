// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import CMosquitto
internal import EventLoop
internal import Glibc

/// Stands between libmosquitto and the network: the library's socket is one end of a pair, and this is the other.
///
/// Each packet of the broker passes ``PacketGate`` before the library reads it. All I/O happens in ``turn(milliseconds:)``, on
/// one thread, so the pair is empty in between.
final class Passage {
    /// The number of bytes that are read from the network, or from the library, at once.
    private static let chunk = 16_384
    /// The number of reads from the network in one turn.
    private static let rounds = 8

    private let client: LibraryClient
    private let wakeEvent: WakeEvent
    private let network: BrokerSocket
    /// The end of the pair that is not the library's.
    private let near: Int32
    private var gate: PacketGate
    private var incoming = [UInt8](repeating: 0, count: chunk)
    private var outgoing = [UInt8](repeating: 0, count: chunk)
    /// The range of `outgoing` that is not written yet.
    private var unwritten = 0..<0

    /// Takes the TCP connection from the library, which has sent nothing yet, and gives it one end of a pair.
    ///
    /// - Parameter wakeEvent: signaled when the library has something to send.
    init(_ client: LibraryClient, wakeEvent: WakeEvent) throws(ConnectionEnd) {
        self.client = client
        self.wakeEvent = wakeEvent
        self.gate = PacketGate(client.options.version, limit: client.options.packetLimit)
        guard let (network, near) = client.divertSocket() else { throw .lost("no file descriptor left") }
        self.near = near
        do throws(ConnectionEnd) {
            self.network = try BrokerSocket(network, client.tls, host: client.options.server.host)
        } catch {
            close(near)
            throw error
        }
        // The library's CONNECT waits.
        wakeEvent.signal()
    }

    deinit {
        close(self.near)
    }

    /// Waits up to `milliseconds` for something to do, and does it: the library's callbacks come from in here.
    ///
    /// - Throws: why the connection is no more.
    func turn(milliseconds: Int32) throws(ConnectionEnd) {
        let events = (self.gate.takesMore ? POLLIN : 0) | (self.network.awaitsWriting ? POLLOUT : 0)
        var entries = [
            pollfd(fd: self.network.descriptor, events: Int16(events), revents: 0),
            pollfd(fd: self.wakeEvent.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let hasPending = self.network.hasPending && self.gate.takesMore
        unsafe poll(&entries, 2, hasPending ? 0 : milliseconds)
        self.wakeEvent.clear()

        try self.client.keepAlive()
        if hasPending || Int32(entries[0].revents) & ~POLLOUT != 0 { try self.receive() }
        try self.send()
        // Packets that waited until the answers to others were written.
        try self.pass()
    }

    /// Reads what the broker sent.
    ///
    /// Before anything is written: a broker that closes the connection says why before that, and writing would fail.
    private func receive() throws(ConnectionEnd) {
        for _ in 0..<Self.rounds where self.gate.takesMore {
            let count = try self.network.read(into: &self.incoming)
            if count == 0 { break }
            self.gate.received(self.incoming[..<count])
            try self.pass()
        }
    }

    /// Says goodbye on the network; everything that the library sent has been written.
    func linger(until deadline: ContinuousClock.Instant) {
        self.network.linger(until: deadline)
    }

    /// Hands the packets that are here to the library.
    private func pass() throws(ConnectionEnd) {
        while let packet = try self.nextPacket() {
            var rest = packet
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe Glibc.send(self.near, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw .lost(unsafe String(cString: strerror(errno))) }
                rest = rest.dropFirst(count)
                try self.client.read()
            }
            try self.send()
        }
    }

    private func nextPacket() throws(ConnectionEnd) -> ArraySlice<UInt8>? {
        do {
            return try self.gate.next()
        } catch {
            guard case .malformed(let what) = error else { throw .malformed("\(error)") }
            throw .malformed(what)
        }
    }

    /// Writes what the library has to send, as far as the network takes it.
    private func send() throws(ConnectionEnd) {
        while true {
            while !self.unwritten.isEmpty {
                let count = try self.network.write(self.outgoing[self.unwritten])
                if count == 0 { return }
                self.unwritten = self.unwritten.dropFirst(count)
            }
            try self.client.write()
            let count = unsafe recv(self.near, &self.outgoing, self.outgoing.count, Int32(MSG_DONTWAIT))
            if count == 0 { throw .lost("the library closed it") }
            if count < 0 { break }
            self.unwritten = 0..<count
        }
        self.gate.answersWritten()
    }
}
