// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Timing
import EventLoop

/// Adapters of classic Bluetooth, which offer a serial port over RFCOMM.
package struct RFCOMMDialer: Sendable {
    /// Where no serial port is announced, these channels are tried: most adapters use the first.
    private static let usualChannels: [UInt8] = [1, 2, 3]
    /// How long a channel may take to connect.
    private static let connectTimeout = Duration.seconds(12)

    private let address: BluetoothAddress
    private let probe: BLEDialer.Probe
    private let clock = BootClock()

    /// - Parameter probe: proves that there is an adapter behind a channel.
    package init(_ address: BluetoothAddress, probe: @escaping BLEDialer.Probe) {
        self.address = address
        self.probe = probe
    }

    /// Opens a link over the first channel that answers as an adapter does.
    ///
    /// The first one that connects need not be it: on some adapters channel 1 connects and drops.
    package func open(until deadline: MonotonicTime) async throws(BluetoothError) -> any AdapterLink {
        let announced = await SDP.serialChannels(of: self.address)
        var reason = "no channel"
        var isConnected = false
        for channel in announced + Self.usualChannels.filter({ !announced.contains($0) }) where self.clock.now < deadline {
            do throws(RFCOMM.Failure) {
                let limit = min(deadline, self.clock.now + Self.connectTimeout)
                let descriptor = try await RFCOMM.connect(self.address, channel: channel, until: limit)
                let link = DescriptorLink(descriptor, address: "rfcomm:\(self.address)", isSocket: true)
                isConnected = true
                if await self.probe(link) { return link }
                link.close()
            } catch {
                if error.isUnsupported { throw .noController }
                reason = error.description
            }
        }
        throw isConnected ? .notAnAdapter(self.address) : .unreachable(self.address, reason)
    }
}
