// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A diagnostic request as bytes, and what makes a reply an answer to it.
package struct BusRequest: Hashable, Sendable {
    /// The service and its data, at most seven bytes.
    package let payload: [UInt8]
    /// What a positive reply repeats after its service byte: the PID, say.
    package let echo: [UInt8]
    /// How long a positive message is, with its service byte; nil where only the message itself tells.
    package let lengths: ClosedRange<Int>?
    /// Whether ECUs may take long, or send "response pending" first: the adapter is told to wait for a second.
    package var isSlow: Bool
    /// Whether asking twice does no harm.
    ///
    /// What is not is sent once, whatever comes back.
    package let isRepeatable: Bool
    /// On J1939, how long to listen for a broadcast before anything is asked.
    package let listening: Duration?
    /// Whom it goes to; nil asks everybody.
    package let addressing: Addressing?
    /// How many frames the answer has, 1 to 15, where that is known: the adapter waits for no more.
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

    /// A parameter group of J1939, of every ECU that has it.
    ///
    /// The messages of the answer begin with the three bytes of the number, most significant first.
    ///
    /// - Parameters:
    ///   - group: the parameter group number, 18 bits.
    ///   - listening: how long to wait for its broadcast, which disturbs nobody; nil to ask at once.
    ///   - isSlow: whether it may be long, and so come in several frames.
    package init(group: UInt32, listening: Duration? = nil, isSlow: Bool = false) {
        self.payload = [16, 8, 0].map { UInt8(truncatingIfNeeded: group >> $0) }
        self.echo = []
        self.lengths = nil
        self.isSlow = isSlow
        self.isRepeatable = true
        self.listening = listening
        self.addressing = nil
    }

    /// The first byte of the payload.
    package var service: UInt8 { self.payload.first ?? 0 }
}

/// What one ECU answered.
package enum ECUReply: Hashable, Sendable {
    /// Messages that repeat service and echo, in order; more than one only on buses older than CAN.
    case positive([[UInt8]])
    /// `7F`, the service, and this code.
    case negative(UInt8)
}

/// How a ``BusRequest`` ended.
package enum BusOutcome: Hashable, Sendable {
    /// At least one ECU answered.
    case answered([ECUAddress: ECUReply])
    /// No ECU answered in time. Usual for what a car does not support.
    case noData
    /// The bus can't be used: ignition off, a wrong protocol, a fault.
    case busUnavailable(Notice)
    /// The adapter did not understand the request, or what came back made no sense, also when asked again.
    case unusable(Notice?)
    /// The adapter does not take this command, without which the request can't be asked.
    case refused(String)
    /// The request was not sent: its deadline had passed.
    case withdrawn
    /// The adapter's settings could not be brought back to what they were: it has to be brought up anew.
    case adapterUnsettled
    /// The adapter started anew: its settings are lost.
    case adapterRestarted
    /// The adapter says nothing any more.
    case adapterSilent
}

/// A ``BusOutcome``, with what had to be thrown away on the way to it.
package struct BusResult: Hashable, Sendable {
    package var outcome: BusOutcome
    /// Lines and messages that answered something else, or were damaged.
    package var dropped: Int
    /// Whether the adapter did not do with ``BusRequest/frameCount``, so that it was asked again without.
    package var isMiscounted = false

    package init(outcome: BusOutcome, dropped: Int, isMiscounted: Bool = false) {
        self.outcome = outcome
        self.dropped = dropped
        self.isMiscounted = isMiscounted
    }
}
