// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The timing of a link between a client and an adapter, including the adapter's serial line.
package struct LinkTiming: Hashable, Sendable {
    /// The way in which a link carries bytes.
    package enum Carrier: Hashable, Sendable {
        /// At connection events, as on Bluetooth LE.
        ///
        /// There is an event every `interval`. Each carries up to `packets` packets in each direction, with up to
        /// `payload` bytes each.
        case events(interval: Duration, packets: Int, payload: Int)
        /// At any time; bytes arrive after `latency`.
        case stream(latency: Duration)
    }

    /// The name for `obd-agent simulate --link`.
    package let name: String
    /// A one-line description for the user.
    package let summary: String
    package let carrier: Carrier
    /// The bit rate of the serial line behind the link, in bit/s.
    package let baudRate: Int

    private init(_ name: String, _ summary: String, _ carrier: Carrier, baudRate: Int = 115_200) {
        self.name = name
        self.summary = summary
        self.carrier = carrier
        self.baudRate = baudRate
    }

    /// Returns a Bluetooth LE link with the payload of the smallest MTU, which most adapters use.
    private static func lowEnergy(_ name: String, _ summary: String, _ interval: Duration, packets: Int) -> LinkTiming {
        LinkTiming(name, summary, .events(interval: interval, packets: packets, payload: 20))
    }

    /// All simulated links, each with a serial line of 115,200 bit/s.
    package static let all: [LinkTiming] = [
        .lowEnergy("ble-30", "Bluetooth LE, an event each 30 ms, 4 packets an event", .milliseconds(30), packets: 4),
        .lowEnergy("ble-30-1", "Bluetooth LE, an event each 30 ms, 1 packet an event", .milliseconds(30), packets: 1),
        .lowEnergy("ble-15", "Bluetooth LE, an event each 15 ms, 4 packets an event", .milliseconds(15), packets: 4),
        .lowEnergy("ble-7.5", "Bluetooth LE, an event each 7.5 ms, 4 packets", .microseconds(7500), packets: 4),
        LinkTiming("wifi", "Wi-Fi, 3 ms each way", .stream(latency: .milliseconds(3))),
        LinkTiming("spp", "classic Bluetooth, 15 ms each way", .stream(latency: .milliseconds(15))),
        LinkTiming("usb", "USB, 1 ms each way", .stream(latency: .milliseconds(1))),
    ]

    /// Returns the link with this name, such as `ble-30`.
    package static func named(_ name: String) -> LinkTiming? {
        self.all.first { $0.name == name }
    }
}
