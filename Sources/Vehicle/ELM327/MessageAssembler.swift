// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Assembles frames into messages, separately for each ECU.
///
/// On CAN this is the receiving side of ISO 15765-2; on other buses a frame is a message. A message with a missing
/// frame is dropped, and so is the second of two equal messages.
///
/// A frame that fits into no message is stray. It shows that frames were lost, so a multi-frame message that was whole
/// before it may hold a wrong frame. All of them from that ECU are dropped. A multi-frame message is kept if its first
/// frame comes after the last stray frame. An ECU sends one message after the other, so no frame of an earlier message
/// follows that first frame. A repeated request, or the rest of the reply before this one, looks like that.
///
/// Such a message is dropped all the same if the stray frames before it end where frame 1 of their message is next: its
/// frame 1 might be theirs. Frames of other ECUs have no influence.
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
        /// The numbers of the frames with which the messages of the stray frames would continue, a bit for each.
        var continuations: UInt16 = 0
    }

    fileprivate struct Partial: Sendable {
        var length: Int
        var next: UInt8
        var bytes: [UInt8]
        /// Whether frame 1 may belong to the message of a stray frame.
        let isDoubtful: Bool
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
            let length = bytes.count == frameLength ? Int(control & 0x0F) << 8 | Int(bytes[1]) : 0
            let dropped = self.abandon(frameLength: frameLength)
            guard length >= frameLength else { return dropped + 1 + self.strayFrame(next: 1, frameLength) }
            self.partial = .init(
                length: length,
                next: 1,
                bytes: Array(bytes.dropFirst(2)),
                isDoubtful: self.continuations & 1 << 1 != 0
            )
            return dropped
        case 2:
            return self.appendConsecutive(control & 0x0F, bytes.dropFirst(), frameLength: frameLength)
        default:
            return 1
        }
    }

    private mutating func appendConsecutive(_ number: UInt8, _ data: ArraySlice<UInt8>, frameLength: Int) -> Int {
        guard self.partial?.next == number, var partial = self.partial.take() else {
            let dropped = self.abandon(frameLength: frameLength)
            self.continuations &= ~(1 << number)
            return dropped + 1 + self.strayFrame(next: (number + 1) & 0x0F, frameLength)
        }
        partial.bytes.append(contentsOf: data.prefix(partial.length - partial.bytes.count))
        partial.next = (partial.next + 1) & 0x0F
        if partial.bytes.count == partial.length { return partial.isDoubtful ? 1 : self.deliver(partial.bytes) }
        self.partial = partial
        return data.count == frameLength - 1 ? 0 : 1 + self.abandon(frameLength: frameLength)
    }

    private mutating func deliver(_ message: [UInt8]) -> Int {
        guard self.messages.last != message else { return 1 }
        self.messages.append(message)
        return 0
    }

    /// Drops the message under way, whose frames become stray.
    private mutating func abandon(frameLength: Int) -> Int {
        guard let partial = self.partial.take() else { return 0 }
        return 1 + self.strayFrame(next: partial.next, frameLength)
    }

    /// Drops the multi-frame messages before a stray frame.
    ///
    /// - Parameter next: the number of the frame that would follow the stray one in its message.
    private mutating func strayFrame(next: UInt8, _ frameLength: Int) -> Int {
        self.continuations |= 1 << next
        let whole = self.messages.count
        self.messages.removeAll { $0.count >= frameLength }
        return whole - self.messages.count
    }

    /// Drops the message that is not whole when the reply ends.
    mutating func finish(frameLength: Int) -> Int {
        self.abandon(frameLength: frameLength)
    }
}
