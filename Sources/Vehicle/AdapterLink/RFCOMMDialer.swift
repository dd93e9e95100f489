// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import EventLoop

/// Opens links to classic Bluetooth adapters, which offer a serial port over RFCOMM.
package struct RFCOMMDialer: Sendable {
    /// The channels that are tried after the announced channels.
    ///
    /// Most adapters use the first.
    private static let usualChannels: [UInt8] = [1, 2, 3]
    /// The timeout for the connection of a channel.
    private static let connectTimeout = Duration.seconds(12)

    /// The timeout for the service discovery of a device.
    private static let searchTimeout = Duration.seconds(15)

    /// Returns the channels on which a device offers a serial port.
    package typealias Search = @Sendable (BluetoothAddress, _ deadline: MonotonicTime) async -> [UInt8]
    /// Connects a channel.
    ///
    /// The caller owns the descriptor, which is non-blocking.
    package typealias Connect =
        @Sendable (BluetoothAddress, _ channel: UInt8, _ deadline: MonotonicTime) async throws(RFCOMM.Failure) -> Int32

    private let address: BluetoothAddress
    private let search: Search
    private let connect: Connect
    private let probe: BLEDialer.Probe
    private let clock = BootClock()

    /// Creates a dialer for one device.
    ///
    /// - Parameter probe: checks whether an adapter answers on a channel.
    package init(
        _ address: BluetoothAddress,
        search: @escaping Search = SDP.serialChannels,
        connect: @escaping Connect = RFCOMM.connect,
        probe: @escaping BLEDialer.Probe
    ) {
        self.address = address
        self.search = search
        self.connect = connect
        self.probe = probe
    }

    /// Opens a link over the first channel on which an adapter answers.
    ///
    /// The first channel that connects may be a wrong one: on some adapters, channel 1 connects and drops.
    package func open(until deadline: MonotonicTime) async throws(BluetoothError) -> any AdapterLink {
        let announced = await self.search(self.address, min(deadline, self.clock.now + Self.searchTimeout))
        var reason = "no channel"
        var isConnected = false
        for channel in announced + Self.usualChannels.filter({ !announced.contains($0) }) {
            guard self.clock.now < deadline, !Task.isCancelled else { break }
            do throws(RFCOMM.Failure) {
                let limit = min(deadline, self.clock.now + Self.connectTimeout)
                let descriptor = try await self.connect(self.address, channel, limit)
                let link = DescriptorLink(descriptor, address: "rfcomm:\(self.address)", isSocket: true)
                isConnected = true
                if await link.whileCancellable({ await self.probe(link) }) { return link }
                link.close()
            } catch {
                if error.isUnsupported { throw .noController }
                reason = error.description
            }
        }
        throw isConnected ? .notAnAdapter(self.address) : .unreachable(self.address, reason)
    }
}
