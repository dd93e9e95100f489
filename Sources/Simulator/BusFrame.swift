// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base
internal import ELM327

/// A frame from an ECU, as the adapter receives it.
struct BusFrame: Sendable {
    let time: MonotonicTime
    let ecu: ECU
    /// The sender's CAN identifier, if the sender is a ``SideECU``.
    ///
    /// Then ``ecu`` has no meaning.
    var sideIdentifier: UInt32?
    /// On CAN the frame's data with its protocol bytes; on other buses the message without header and checksum.
    let bytes: [UInt8]
    /// Whether the frame is a "response pending" (7F xx 78).
    let isPending: Bool

    /// Returns the frames that carry `message` on `bus`, the first one at `time`.
    ///
    /// - Parameters:
    ///   - padding: the byte that fills a CAN frame up to 8 bytes; nil for short frames.
    ///   - gap: the time between two frames of a message.
    ///   - onlyFirst: whether the sender stops after the first frame, because it gets no flow control (ISO 15765-2).
    static func frames(
        of message: [UInt8],
        from ecu: ECU,
        on bus: BusProtocol,
        at time: MonotonicTime,
        padding: UInt8?,
        gap: Duration,
        onlyFirst: Bool
    ) -> [BusFrame] {
        let isPending = message.count == 3 && message.first == 0x7F && message.last == 0x78
        func frame(_ bytes: [UInt8], after delay: Duration) -> BusFrame {
            var bytes = bytes
            if bus.isCAN, let padding, bytes.count < 8 {
                bytes += [UInt8](repeating: padding, count: 8 - bytes.count)
            }
            return BusFrame(time: time + delay, ecu: ecu, bytes: bytes, isPending: isPending)
        }
        guard bus.isCAN else {
            // At 10.4 kbit/s, a byte with its gap takes about a millisecond. Header and checksum are four bytes.
            return [frame(message, after: .milliseconds(message.count + 4))]
        }
        guard message.count > 7 else { return [frame([UInt8(message.count)] + message, after: .zero)] }
        let length = min(message.count, 0xFFF)
        var frames = [frame([0x10 | UInt8(length >> 8), UInt8(length & 0xFF)] + message.prefix(6), after: .zero)]
        if onlyFirst { return frames }
        for (index, start) in stride(from: 6, to: length, by: 7).enumerated() {
            let bytes = [0x20 | UInt8((index + 1) & 0x0F)] + message[start..<min(start + 7, length)]
            frames.append(frame(bytes, after: .milliseconds(1) + gap * (index + 1)))
        }
        return frames
    }

    /// Returns the frames that carry `message` of an ECU of the maker, to a request that was sent at `time`.
    ///
    /// Without flow control there is only the first frame of a long message.
    static func frames(
        of message: [UInt8],
        from ecu: SideECU,
        on bus: BusProtocol,
        at time: MonotonicTime,
        _ settings: AdapterSettings
    ) -> [BusFrame] {
        guard let address = ecu.address(extended: bus.hasExtendedIdentifiers) else { return [] }
        let room = address.prefix == nil ? 7 : 6
        var frames: [[UInt8]]
        if message.count <= room {
            frames = [[UInt8(message.count)] + message]
        } else {
            frames = [[0x10 | UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message.prefix(room - 1)]
            let isFlowing = settings.flowControlReaches(ecu, address, on: bus)
            for (index, start) in stride(from: room - 1, to: message.count, by: room).enumerated() where isFlowing {
                frames.append([0x20 | UInt8((index + 1) & 0x0F)] + message[start..<min(start + room, message.count)])
            }
        }
        return frames.enumerated().map { index, bytes in
            BusFrame(
                time: time + SideECU.latency + .milliseconds(2 * index),
                ecu: .engine,
                sideIdentifier: address.reply,
                bytes: (address.prefix.map { [$0.reply] } ?? []) + bytes,
                isPending: false
            )
        }
    }

    /// Returns the sender's CAN identifier.
    func identifier(on bus: BusProtocol) -> UInt32 {
        self.sideIdentifier ?? self.ecu.identifier(extended: bus.hasExtendedIdentifiers)
    }

    /// Returns the lines that an adapter prints for the frame.
    func lines(on bus: BusProtocol, _ settings: AdapterSettings) -> [String] {
        func hex(_ bytes: some Sequence<UInt8>) -> String {
            bytes.map { $0.hexadecimal + (settings.spaces ? " " : "") }.joined()
        }
        guard bus.isCAN else {
            guard settings.headers else { return [hex(self.bytes)] }
            let message = self.header(on: bus) + self.bytes
            return [hex(message + [bus.checksum(of: message)])]
        }
        if settings.headers {
            let space = settings.spaces ? " " : ""
            let identifier = self.identifier(on: bus)
            let digits =
                bus.hasExtendedIdentifiers
                ? settings.joinsIdentifier
                    ? identifier.hexadecimal(digits: 1) + space
                    : hex([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: identifier >> $0) })
                : identifier.hexadecimal(digits: 1) + space
            return [digits + (settings.lengthDigit ? "\(self.bytes.count)\(space)" : "") + hex(self.bytes)]
        }
        guard settings.formatting, let control = self.bytes.first else { return [hex(self.bytes)] }
        let space = settings.spaces ? " " : ""
        switch control >> 4 {
        case 0:
            return [hex(self.bytes.dropFirst().prefix(Int(control)))]
        case 1:
            let length = (control & 0x0F).hexadecimal(digits: 1) + (self.bytes.dropFirst().first ?? 0).hexadecimal
            return [length, "0:" + space + hex(self.bytes.dropFirst(2))]
        default:
            let index = (control & 0x0F).hexadecimal(digits: 1)
            return [index + ":" + space + hex(self.bytes.dropFirst())]
        }
    }

    private func header(on bus: BusProtocol) -> [UInt8] {
        switch bus {
        case .j1850PWM: [0x41, 0x6B, self.ecu.address]
        case .kwp5Baud, .kwpFast: [0x80 | UInt8(self.bytes.count & 0x3F), 0xF1, self.ecu.address]
        default: [0x48, 0x6B, self.ecu.address]
        }
    }
}

extension BusProtocol {
    /// Returns the checksum byte at the end of a message on a bus older than CAN.
    func checksum(of message: [UInt8]) -> UInt8 {
        self == .j1850PWM || self == .j1850VPW ? Checksum.j1850(message) : Checksum.sum(message)
    }

    /// Whether the bus needs an initialization before the first request: ISO 9141-2 and ISO 14230.
    var isKLine: Bool { self == .iso9141 || self == .kwp5Baud || self == .kwpFast }
}
