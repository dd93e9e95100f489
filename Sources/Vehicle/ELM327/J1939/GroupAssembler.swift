// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Assembles the frames of one parameter group, separately for each ECU (SAE J1939-21, 5.10).
///
/// A message with a missing frame is dropped. Other groups are ignored: all ECUs broadcast on this bus.
package struct GroupAssembler: Sendable {
    /// The control byte of an ECU's acknowledgment that refuses the request.
    enum Refusal: UInt8, Hashable, Sendable {
        case negative = 1
        case accessDenied = 2
        case busy = 3
    }

    /// The newest message of each ECU.
    package private(set) var messages: [UInt8: [UInt8]] = [:]
    private(set) var refusals: [UInt8: Refusal] = [:]
    /// The number of dropped frames of the group, or of what may have been the group.
    package private(set) var dropped = 0

    private struct Transport: Sendable {
        var isRequested: Bool
        var length: Int
        var next: UInt8
        var bytes: [UInt8] = []
    }

    private enum Group {
        static let acknowledgment: UInt32 = 0xE800
        static let transferData: UInt32 = 0xEB00
        static let transferControl: UInt32 = 0xEC00
    }

    private enum Control {
        static let requestToSend: UInt8 = 0x10
        static let broadcast: UInt8 = 0x20
        static let abort: UInt8 = 0xFF
    }

    /// The valid message lengths.
    ///
    /// The longest is 255 frames of seven bytes.
    private static let lengths = 9...1785

    private let requestedGroup: UInt32
    private var transports: [UInt16: Transport] = [:]
    /// The previous frame of each transport, because some adapters print every line twice.
    private var lastTransfer: [UInt16: [UInt8]] = [:]

    package init(_ group: UInt32) {
        self.requestedGroup = group
    }

    /// Takes the next frame in the order of arrival.
    package mutating func append(_ frame: GroupFrame) {
        switch frame.group {
        case self.requestedGroup: self.messages[frame.source] = frame.data
        case Group.transferControl where frame.isForTester: self.control(frame)
        case Group.transferData where frame.isForTester: self.transfer(frame)
        case Group.acknowledgment:
            // Other testers ask too. An ECU that does not name the tester has FF.
            guard frame.data.count == 8, [0xF9, 0xFF].contains(frame.data[4]), frame.isForTester,
                Self.group(frame.data) == self.requestedGroup
            else { return }
            self.refusals[frame.source] = Refusal(rawValue: frame.data[0])
        default: return
        }
    }

    /// Ends the reply: messages that are not whole are dropped.
    ///
    /// A dropped message counts in ``dropped`` only if the ECU has no other message.
    package mutating func finish() {
        for transport in Array(self.transports.keys) {
            if self.messages[UInt8(transport >> 8)] != nil { self.transports[transport] = nil }
            self.abandon(transport)
        }
    }

    /// Forgets the answers, and what has arrived of others, because the group is requested again.
    ///
    /// The long messages of other groups go on, and their next frames must not be taken for those of an answer.
    package mutating func restart() {
        (self.messages, self.refusals) = ([:], [:])
        for (key, transport) in self.transports where transport.isRequested { self.transports[key] = nil }
    }

    /// Returns each ECU's answer to the request for the group.
    package func replies(to request: BusRequest) -> [ECUAddress: ECUReply] {
        var replies: [ECUAddress: ECUReply] = [:]
        for (source, refusal) in self.refusals { replies[.j1939(source)] = .negative(refusal.code) }
        for (source, data) in self.messages { replies[.j1939(source)] = .positive([request.payload + data]) }
        return replies
    }

    private mutating func control(_ frame: GroupFrame) {
        guard frame.data.count == 8 else { return self.dropped += 1 }
        switch frame.data[0] {
        case Control.broadcast, Control.requestToSend:
            let length = Int(frame.data[1]) | Int(frame.data[2]) << 8
            let isRequested = Self.group(frame.data) == self.requestedGroup
            guard Self.lengths.contains(length), (length + 6) / 7 == Int(frame.data[3]) else {
                return self.dropped += isRequested ? 1 : 0
            }
            if let before = self.transports[frame.conversation], before.bytes.isEmpty, before.length == length {
                return
            }
            self.abandon(frame.conversation)
            self.transports[frame.conversation] = Transport(isRequested: isRequested, length: length, next: 1)
            self.lastTransfer[frame.conversation] = nil
        case Control.abort:
            self.abandon(frame.conversation)
        default:
            // A control message from the receiver to the sender.
            return
        }
    }

    private mutating func transfer(_ frame: GroupFrame) {
        let key = frame.conversation
        guard self.lastTransfer[key] != frame.data else { return }
        self.lastTransfer[key] = frame.data
        // Without its first frame, the group of this message is unknown.
        guard var transport = self.transports.removeValue(forKey: key) else { return self.dropped += 1 }
        guard frame.data.count == 8, frame.data[0] == transport.next else {
            return self.dropped += transport.isRequested ? 1 : 0
        }
        transport.bytes += frame.data.dropFirst().prefix(transport.length - transport.bytes.count)
        if transport.bytes.count < transport.length {
            transport.next &+= 1
            self.transports[key] = transport
        } else if transport.isRequested {
            self.messages[frame.source] = transport.bytes
        }
    }

    private mutating func abandon(_ transport: UInt16) {
        if self.transports.removeValue(forKey: transport)?.isRequested == true { self.dropped += 1 }
    }

    /// Returns the group in the last three bytes, least significant first.
    private static func group(_ data: [UInt8]) -> UInt32 {
        data.suffix(3).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension GroupAssembler.Refusal {
    /// The corresponding negative response code of ISO 14229-1.
    fileprivate var code: UInt8 {
        switch self {
        case .negative: 0x11
        case .accessDenied: 0x33
        case .busy: 0x21
        }
    }
}
