// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Puts frames together into messages, each ECU's apart from the others'.
///
/// On CAN this is the receiving side of ISO 15765-2; elsewhere a frame is a message. A message of which a frame is
/// missing, or that stands twice, is not delivered. Where frames of an ECU fit into no message, another message's may
/// have got into one that looks whole, so that none of several frames is delivered.
struct MessageAssembler: Sendable {
    /// What arrived whole, by ECU, in order.
    private(set) var messages: [ECUAddress: [[UInt8]]] = [:]
    /// How many frames were of no use.
    private(set) var dropped = 0
    private var partial: [ECUAddress: Partial] = [:]
    /// The last frame of each ECU, to know it again when it is printed twice.
    private var last: [ECUAddress: Frame] = [:]
    /// The ECUs with frames that fit into no message.
    private var doubted: Set<ECUAddress> = []
    /// How many bytes a full frame has: one less where an address stands before them.
    private let frameLength: Int

    init(hasAddressExtension: Bool = false) {
        self.frameLength = hasAddressExtension ? 7 : 8
    }

    private struct Partial: Sendable {
        var length: Int
        var next: UInt8
        var bytes: [UInt8]
    }

    /// Takes the next frame in the order of arrival.
    mutating func append(_ frame: Frame, on bus: BusProtocol) {
        guard bus.isCAN else { return self.deliver(frame.bytes, from: frame.source) }
        guard let control = frame.bytes.first else { return }
        let isRepeated = self.last.updateValue(frame, forKey: frame.source) == frame
        // A message of one frame twice is the same message; see ``deliver(_:from:)``.
        guard !isRepeated || control >> 4 == 0 else { return self.dropped += 1 }
        let data = frame.bytes.dropFirst()
        switch control >> 4 {
        case 0:
            let length = Int(control & 0x0F)
            guard 1...7 ~= length, data.count >= length else { return self.dropped += 1 }
            self.deliver(Array(data.prefix(length)), from: frame.source)
        case 1:
            guard frame.bytes.count == self.frameLength else { return self.dropped += 1 }
            let length = Int(control & 0x0F) << 8 | Int(frame.bytes[1])
            guard length >= self.frameLength else { return self.dropped += 1 }
            self.abandon(frame.source)
            self.partial[frame.source] = Partial(length: length, next: 1, bytes: Array(frame.bytes.dropFirst(2)))
        case 2:
            self.appendConsecutive(control & 0x0F, data, from: frame.source)
        default:
            self.dropped += 1
        }
    }

    /// No more frames come: what is not whole is dropped.
    mutating func finish() {
        for source in Array(self.partial.keys) { self.abandon(source) }
        // The longest message of one frame.
        let longest = self.frameLength - 1
        for source in self.doubted {
            let whole = self.messages[source]?.count ?? 0
            self.messages[source]?.removeAll { $0.count > longest }
            self.dropped += whole - (self.messages[source]?.count ?? 0)
            if self.messages[source]?.isEmpty == true { self.messages[source] = nil }
        }
    }

    private mutating func appendConsecutive(_ number: UInt8, _ data: ArraySlice<UInt8>, from source: ECUAddress) {
        guard var partial = self.partial.removeValue(forKey: source) else {
            self.doubted.insert(source)
            return self.dropped += 1
        }
        guard number == partial.next else {
            self.doubted.insert(source)
            return self.dropped += 2
        }
        partial.bytes.append(contentsOf: data.prefix(partial.length - partial.bytes.count))
        partial.next = (partial.next + 1) & 0x0F
        if partial.bytes.count == partial.length {
            self.deliver(partial.bytes, from: source)
        } else if data.count == self.frameLength - 1 {
            self.partial[source] = partial
        } else {
            self.dropped += 2
        }
    }

    private mutating func deliver(_ message: [UInt8], from source: ECUAddress) {
        guard self.messages[source]?.last != message else { return self.dropped += 1 }
        self.messages[source, default: []].append(message)
    }

    private mutating func abandon(_ source: ECUAddress) {
        guard self.partial.removeValue(forKey: source) != nil else { return }
        self.doubted.insert(source)
        self.dropped += 1
    }
}
