// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// How long a link between a client and an adapter takes for bytes, the adapter's serial line included.
package struct LinkTiming: Hashable, Sendable {
    /// When bytes go over it.
    package enum Carrier: Hashable, Sendable {
        /// At connection events, as Bluetooth LE has them: so often, each with so many packets of so many bytes in
        /// each direction.
        case events(interval: Duration, packets: Int, payload: Int)
        /// At once, and they arrive so much later.
        case stream(latency: Duration)
    }

    /// What `obd-agent simulate --link` calls it.
    package let name: String
    /// What it is, in a few words.
    package let summary: String
    package let carrier: Carrier
    /// Bits a second of the serial line behind it.
    package let baudRate: Int

    private init(_ name: String, _ summary: String, _ carrier: Carrier, baudRate: Int = 115_200) {
        self.name = name
        self.summary = summary
        self.carrier = carrier
        self.baudRate = baudRate
    }

    /// Bluetooth LE with the payload of the smallest MTU, which is what most adapters have.
    private static func lowEnergy(_ name: String, _ summary: String, _ interval: Duration, packets: Int) -> LinkTiming {
        LinkTiming(name, summary, .events(interval: interval, packets: packets, payload: 20))
    }

    /// All that are known, each with a serial line of 115,200 bits a second.
    package static let all: [LinkTiming] = [
        .lowEnergy("ble-30", "Bluetooth LE, an event each 30 ms, 4 packets an event", .milliseconds(30), packets: 4),
        .lowEnergy("ble-30-1", "Bluetooth LE, an event each 30 ms, 1 packet an event", .milliseconds(30), packets: 1),
        .lowEnergy("ble-15", "Bluetooth LE, an event each 15 ms, 4 packets an event", .milliseconds(15), packets: 4),
        .lowEnergy("ble-7.5", "Bluetooth LE, an event each 7.5 ms, 4 packets", .microseconds(7500), packets: 4),
        LinkTiming("wifi", "Wi-Fi, 3 ms each way", .stream(latency: .milliseconds(3))),
        LinkTiming("spp", "classic Bluetooth, 15 ms each way", .stream(latency: .milliseconds(15))),
        LinkTiming("usb", "USB, 1 ms each way", .stream(latency: .milliseconds(1))),
    ]

    /// The link called `name`.
    package static func named(_ name: String) -> LinkTiming? {
        self.all.first { $0.name == name }
    }
}
