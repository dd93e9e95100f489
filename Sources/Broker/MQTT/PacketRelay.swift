// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import CMosquitto
internal import EventLoop
internal import Glibc

/// Relays packets between libmosquitto and the network.
///
/// libmosquitto has one end of a socket pair as its socket, and the relay has the other end. Each packet of the broker
/// passes ``PacketGate`` before libmosquitto reads it. All I/O happens in ``runOnce(milliseconds:)``, on one thread, so
/// the pair is empty between two calls.
final class PacketRelay {
    /// The number of bytes that one read returns at most.
    private static let chunkSize = 16_384
    /// The number of reads from the network in one run.
    private static let readsPerRun = 8

    private let client: LibraryClient
    private let interrupt: PollInterrupt
    private let network: BrokerSocket
    /// The relay's end of the socket pair.
    private let relayEnd: Int32
    private var gate: PacketGate
    private var incoming = [UInt8](repeating: 0, count: chunkSize)
    private var outgoing = [UInt8](repeating: 0, count: chunkSize)
    /// The bytes that are not written yet.
    private var unwritten: ArraySlice<UInt8> = []
    /// The acknowledgements that wait for their release; nil if the library's are sent at once.
    private var hold: AcknowledgementHold?

    /// Takes the TCP connection from the library, which has sent nothing yet, and gives it one end of a socket pair.
    ///
    /// - Parameter interrupt: is signaled when the library has packets to send.
    init(_ client: LibraryClient, interrupt: PollInterrupt) throws(ConnectionEnd) {
        self.client = client
        self.interrupt = interrupt
        self.gate = PacketGate(client.options.version, limit: client.options.packetLimit)
        self.hold = client.options.holdsAcknowledgements ? AcknowledgementHold() : nil
        guard let (network, relayEnd) = client.divertSocket() else { throw .lost("no file descriptor left") }
        self.relayEnd = relayEnd
        do throws(ConnectionEnd) {
            self.network = try BrokerSocket(network, client.tls, host: client.options.server.host)
        } catch {
            close(relayEnd)
            throw error
        }
        // The library has queued its CONNECT.
        interrupt.signal()
    }

    deinit {
        close(self.relayEnd)
    }

    /// Waits up to `milliseconds` for data or for the interrupt, then relays data in both directions.
    ///
    /// The library makes its callbacks during this call.
    ///
    /// - Parameter releases: returns the packet identifiers whose acknowledgements may be sent.
    /// - Throws: the reason for the end of the connection.
    func runOnce(milliseconds: Int32, releases: () -> [UInt16]) throws(ConnectionEnd) {
        let events = (self.gate.canReceive ? POLLIN : 0) | (self.network.awaitsWriting ? POLLOUT : 0)
        var entries = [
            pollfd(fd: self.network.descriptor, events: Int16(events), revents: 0),
            pollfd(fd: self.interrupt.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let hasBufferedBytes = self.network.hasBufferedBytes && self.gate.canReceive
        unsafe poll(&entries, 2, hasBufferedBytes ? 0 : milliseconds)
        self.interrupt.clear()

        try self.client.keepAlive()
        // Receives before it sends: a broker that closes the connection sends the reason first, and then a write
        // fails.
        if hasBufferedBytes || Int32(entries[0].revents) & ~POLLOUT != 0 { try self.receive() }
        let released = releases()
        if !released.isEmpty, let packets = self.hold?.release(released) { self.unwritten += packets }
        try self.send()
        // The answers have been written, so the gate may pass packets that it had held back.
        try self.deliverPackets()
        if self.hold?.mustReconnect == true { throw .lost("the broker sent more messages than there was room for") }
    }

    /// Reads bytes from the broker and delivers complete packets to the library.
    private func receive() throws(ConnectionEnd) {
        for _ in 0..<Self.readsPerRun where self.gate.canReceive {
            let count = try self.network.read(into: &self.incoming)
            if count == 0 { break }
            self.gate.received(self.incoming[..<count])
            try self.deliverPackets()
        }
    }

    /// Shuts the connection down, see ``BrokerSocket/linger(until:)``.
    ///
    /// All packets of the library must have been written before.
    func linger(until deadline: ContinuousClock.Instant) {
        self.network.linger(until: deadline)
    }

    /// Delivers the received packets to the library.
    private func deliverPackets() throws(ConnectionEnd) {
        while let packet = try self.nextPacket() {
            if self.hold?.leavesOut(packet) == true { continue }
            var rest = packet
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
                    return unsafe Glibc.send(self.relayEnd, $0.baseAddress, $0.count, flags)
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
            switch error {
            case .foreign(let other): throw .foreign(other)
            case .malformed(let reason): throw .malformed(reason)
            default: throw .malformed("\(error)")
            }
        }
    }

    /// Writes the packets of the library, as far as the network accepts them.
    private func send() throws(ConnectionEnd) {
        while true {
            while !self.unwritten.isEmpty {
                let count = try self.network.write(self.unwritten)
                if count == 0 { return }
                self.unwritten = self.unwritten.dropFirst(count)
            }
            // An empty slice would keep the buffer, which is then copied for the next bytes.
            self.unwritten = []
            try self.client.write()
            let count = unsafe recv(self.relayEnd, &self.outgoing, self.outgoing.count, Int32(MSG_DONTWAIT))
            if count == 0 { throw .lost("libmosquitto closed the connection") }
            if count < 0 { break }
            let bytes = self.outgoing[..<count]
            self.unwritten = self.hold?.sent(bytes) ?? bytes
        }
        self.gate.answersWritten()
    }
}
