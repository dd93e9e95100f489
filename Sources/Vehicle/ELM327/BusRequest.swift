// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A diagnostic request as bytes, with the properties by which its answers are recognized.
package struct BusRequest: Hashable, Sendable {
    /// The service and its data, at most seven bytes.
    package let payload: [UInt8]
    /// The bytes that a positive reply repeats after its service byte: for example the PID.
    package let echo: [UInt8]
    /// The valid lengths of a positive message, with its service byte; nil if the length is not known in advance.
    package let lengths: ClosedRange<Int>?
    /// Whether ECUs may need long, or send "response pending" first.
    ///
    /// The adapter's wait is then raised to one second.
    package var isSlow: Bool
    /// Whether the request can be repeated without harm.
    ///
    /// A request that is not repeatable is sent once, whatever the reply.
    package let isRepeatable: Bool
    /// On J1939, the time to listen for a broadcast before a request is sent.
    package let listening: Duration?
    /// The addressed ECU; nil for a functional (broadcast) request.
    package let addressing: Addressing?
    /// The number of frames of the answer, 1 to 15, if known.
    ///
    /// The adapter stops waiting after the last of them.
    package var frameCount: Int?

    package init(
        payload: [UInt8],
        echo: [UInt8],
        lengths: ClosedRange<Int>? = nil,
        isSlow: Bool = false,
        isRepeatable: Bool = true,
        addressing: Addressing? = nil
    ) {
        self.payload = payload
        self.echo = echo
        self.lengths = lengths
        self.isSlow = isSlow
        self.isRepeatable = isRepeatable
        self.listening = nil
        self.addressing = addressing
    }

    /// Creates a request for a J1939 parameter group, from every ECU that has it.
    ///
    /// The messages of the answer begin with the three bytes of the group number, most significant first.
    ///
    /// - Parameters:
    ///   - group: the parameter group number, 18 bits.
    ///   - listening: how long to wait for the group's broadcast, which sends nothing; nil to send the request at once.
    ///   - isSlow: whether the group may be long, and so arrive in several frames.
    package init(group: UInt32, listening: Duration? = nil, isSlow: Bool = false) {
        self.payload = [16, 8, 0].map { UInt8(truncatingIfNeeded: group >> $0) }
        self.echo = []
        self.lengths = nil
        self.isSlow = isSlow
        self.isRepeatable = true
        self.listening = listening
        self.addressing = nil
    }

    /// The meaning of a message as a reply to this request.
    package enum Match: Hashable, Sendable {
        case positive
        /// The negative response code.
        case negative(UInt8)
        /// The message answers another request, or none.
        case none
    }

    /// Returns the meaning of a whole message.
    package func match(_ message: [UInt8]) -> Match {
        let isEcho = message.first == self.service | 0x40 && message.dropFirst().starts(with: self.echo)
        if isEcho, self.lengths?.contains(message.count) ?? true { return .positive }
        return message.count >= 3 && message[0] == 0x7F && message[1] == self.service ? .negative(message[2]) : .none
    }

    /// Whether the bus has the address of the ECU that is asked.
    package func fits(_ bus: BusProtocol) -> Bool {
        switch self.addressing?.header {
        case nil: bus.isCAN
        case .can11: bus.isCAN && !bus.hasExtendedIdentifiers
        case .can29: bus.isCAN && bus.hasExtendedIdentifiers
        case .legacy: !bus.isCAN && bus != .j1939
        }
    }

    /// The number of the requested parameter group, on J1939.
    package var group: UInt32 { self.payload.reduce(0) { $0 << 8 | UInt32($1) } }

    /// The first byte of the payload.
    package var service: UInt8 { self.payload.first ?? 0 }
}

/// The answer of one ECU.
package enum ECUReply: Hashable, Sendable {
    /// The messages that repeat service and echo, in order. Only buses older than CAN yield more than one.
    case positive([[UInt8]])
    /// `7F`, the service, and this negative response code.
    case negative(UInt8)
}

/// The outcome of a ``BusRequest``.
package enum BusOutcome: Hashable, Sendable {
    /// At least one ECU answered.
    case answered([ECUAddress: ECUReply])
    /// No ECU answered in time. This is usual for a request that the vehicle does not support.
    case noData
    /// The bus cannot be used: ignition off, wrong protocol, or a fault.
    case busUnavailable(Notice)
    /// The adapter did not understand the request, or the reply was not valid, and retries did not help.
    case unusable(Notice?)
    /// The adapter refused this command, and the request cannot be sent without it.
    case refused(String)
    /// The request was not sent, because its deadline had passed.
    case withdrawn
    /// The adapter's settings could not be restored. Start-up must run again.
    case settingsNotRestored
    /// The adapter restarted: its settings are lost.
    case adapterRestarted
    /// The adapter stopped answering.
    case adapterSilent
}

/// A ``BusOutcome``, with the number of lines and messages that were dropped.
package struct BusResult: Hashable, Sendable {
    package var outcome: BusOutcome
    /// The number of lines and messages that were damaged or answered another request.
    package var dropped: Int
    /// Whether the request with ``BusRequest/frameCount`` failed, so that it was repeated without the count.
    package var isMiscounted = false

    package init(outcome: BusOutcome, dropped: Int, isMiscounted: Bool = false) {
        self.outcome = outcome
        self.dropped = dropped
        self.isMiscounted = isMiscounted
    }
}
