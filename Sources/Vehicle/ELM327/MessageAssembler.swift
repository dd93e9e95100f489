// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Assembles frames into messages, separately for each ECU.
///
/// On CAN this is the receiving side of ISO 15765-2; on other buses a frame is a message. A message with a missing
/// frame is dropped, and so is the second of two equal messages. If a frame of an ECU fits into no message, another
/// message that looks whole may hold a wrong frame. All multi-frame messages of that ECU are then dropped.
struct MessageAssembler: Sendable {
    /// The messages that arrived whole, by ECU, in order.
    var messages: [(ecu: ECUAddress, messages: [[UInt8]])] {
        self.senders.lazy.filter { !$0.messages.isEmpty }.map { ($0.ecu, $0.messages) }
    }
    /// The number of dropped frames and messages.
    private(set) var dropped = 0
    /// The senders in the order of their first frames.
    ///
    /// They are few, so a linear search costs less than hashing.
    private var senders: [Sender] = []
    /// The number of bytes of a full frame: 8, or 7 behind an address byte.
    private let frameLength: Int

    fileprivate struct Sender: Sendable {
        let ecu: ECUAddress
        var messages: [[UInt8]] = []
        var partial: Partial?
        /// The bytes of the last frame, to recognize a frame that is printed twice.
        var last: [UInt8]?
        /// Whether a frame fit into no message.
        var hasStrayFrames = false
    }

    fileprivate struct Partial: Sendable {
        var length: Int
        var next: UInt8
        var bytes: [UInt8]
    }

    init(hasAddressExtension: Bool = false) {
        self.frameLength = hasAddressExtension ? 7 : 8
    }

    /// Takes the next frame in the order of arrival.
    mutating func append(_ frame: Frame, on bus: BusProtocol) {
        let index = self.senders.firstIndex { $0.ecu == frame.source } ?? self.senders.endIndex
        if index == self.senders.endIndex { self.senders.append(Sender(ecu: frame.source)) }
        self.dropped += self.senders[index].append(frame.bytes, isCAN: bus.isCAN, frameLength: self.frameLength)
    }

    /// Ends the reply: messages that are not whole are dropped.
    mutating func finish() {
        for index in self.senders.indices {
            self.dropped += self.senders[index].finish(frameLength: self.frameLength)
        }
    }
}

/// Each function returns the number of frames or messages that it dropped.
extension MessageAssembler.Sender {
    mutating func append(_ bytes: [UInt8], isCAN: Bool, frameLength: Int) -> Int {
        guard isCAN else { return self.deliver(bytes) }
        guard let control = bytes.first else { return 0 }
        let isRepeated = self.last == bytes
        self.last = bytes
        // A repeated single-frame message is dropped in ``deliver(_:)``.
        guard !isRepeated || control >> 4 == 0 else { return 1 }
        switch control >> 4 {
        case 0:
            let length = Int(control & 0x0F)
            guard 1...7 ~= length, bytes.count > length else { return 1 }
            return self.deliver(Array(bytes[1...length]))
        case 1:
            guard bytes.count == frameLength else { return 1 }
            let length = Int(control & 0x0F) << 8 | Int(bytes[1])
            guard length >= frameLength else { return 1 }
            let dropped = self.abandon()
            self.partial = .init(length: length, next: 1, bytes: Array(bytes.dropFirst(2)))
            return dropped
        case 2:
            return self.appendConsecutive(control & 0x0F, bytes.dropFirst(), frameLength: frameLength)
        default:
            return 1
        }
    }

    private mutating func appendConsecutive(_ number: UInt8, _ data: ArraySlice<UInt8>, frameLength: Int) -> Int {
        guard var partial = self.partial.take() else {
            self.hasStrayFrames = true
            return 1
        }
        guard number == partial.next else {
            self.hasStrayFrames = true
            return 2
        }
        partial.bytes.append(contentsOf: data.prefix(partial.length - partial.bytes.count))
        partial.next = (partial.next + 1) & 0x0F
        if partial.bytes.count == partial.length { return self.deliver(partial.bytes) }
        guard data.count == frameLength - 1 else { return 2 }
        self.partial = partial
        return 0
    }

    private mutating func deliver(_ message: [UInt8]) -> Int {
        guard self.messages.last != message else { return 1 }
        self.messages.append(message)
        return 0
    }

    private mutating func abandon() -> Int {
        guard self.partial.take() != nil else { return 0 }
        self.hasStrayFrames = true
        return 1
    }

    mutating func finish(frameLength: Int) -> Int {
        var dropped = self.abandon()
        if self.hasStrayFrames {
            let whole = self.messages.count
            self.messages.removeAll { $0.count >= frameLength }
            dropped += whole - self.messages.count
        }
        return dropped
    }
}
