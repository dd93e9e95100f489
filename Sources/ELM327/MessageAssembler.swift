// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Puts frames together into messages, each ECU's apart from the others'.
///
/// On CAN this is the receiving side of ISO 15765-2; elsewhere a frame is a message. A message of which a frame is
/// missing, or that stands twice, is not delivered.
struct MessageAssembler: Sendable {
    /// What arrived whole, by ECU, in order.
    private(set) var messages: [ECUAddress: [[UInt8]]] = [:]
    /// How many frames were of no use.
    private(set) var dropped = 0
    private var partial: [ECUAddress: Partial] = [:]

    private struct Partial: Sendable {
        var length: Int
        var next: UInt8
        var bytes: [UInt8]
    }

    /// Takes the next frame in the order of arrival.
    mutating func append(_ frame: Frame, on bus: BusProtocol) {
        guard bus.isCAN else { return self.deliver(frame.bytes, from: frame.source) }
        guard let control = frame.bytes.first else { return }
        let data = frame.bytes.dropFirst()
        switch control >> 4 {
        case 0:
            let length = Int(control & 0x0F)
            guard 1...7 ~= length, data.count >= length else { return self.dropped += 1 }
            self.deliver(Array(data.prefix(length)), from: frame.source)
        case 1:
            guard frame.bytes.count == 8 else { return self.dropped += 1 }
            let length = Int(control & 0x0F) << 8 | Int(frame.bytes[1])
            guard length >= 8 else { return self.dropped += 1 }
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
    }

    private mutating func appendConsecutive(_ number: UInt8, _ data: ArraySlice<UInt8>, from source: ECUAddress) {
        guard var partial = self.partial.removeValue(forKey: source) else { return self.dropped += 1 }
        if number == (partial.next &- 1) & 0x0F, partial.next != 1 || partial.bytes.count > 6,
            partial.bytes.suffix(data.count).elementsEqual(data)
        {
            // The frame before, printed twice.
            self.dropped += 1
            self.partial[source] = partial
            return
        }
        guard number == partial.next else { return self.dropped += 2 }
        partial.bytes.append(contentsOf: data.prefix(partial.length - partial.bytes.count))
        partial.next = (partial.next + 1) & 0x0F
        if partial.bytes.count == partial.length {
            self.deliver(partial.bytes, from: source)
        } else if data.count == 7 {
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
        if self.partial.removeValue(forKey: source) != nil { self.dropped += 1 }
    }
}
