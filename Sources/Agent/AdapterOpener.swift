// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import AdapterLink
package import Configuration
import ELM327
import OBD2
import Session
import Simulator
import Synchronization
package import Timing

/// Opens links to the adapter that the configuration names.
package enum AdapterOpener {
    /// What is wrong with the invented vehicle.
    private static let simulatedCodes = [DTC(rawValue: 0x0301), DTC(rawValue: 0x0420)]

    /// - Parameter clock: the time of a simulated adapter.
    package static func opener(
        for adapter: Configuration.Adapter,
        clock: any MonotonicClock
    ) -> @Sendable (MonotonicTime) async throws(LinkError) -> any AdapterLink {
        switch adapter.address {
        case .ble(let address):
            return Self.bluetooth(BLETarget(adapter, address: address), clock)
        case .tcp(let host, let port):
            return { deadline throws(LinkError) in try await TCPLink.open(host: host, port: port, until: deadline) }
        case .serial(let path, let baud):
            return { _ throws(LinkError) in try SerialLink.open(path: path, baud: baud) }
        case .simulator:
            var options = SimulatedVehicle.Options()
            options.codes = Self.simulatedCodes
            // One vehicle, however often the link to it is opened.
            let vehicle = SharedVehicle(SimulatedVehicle(options, startedAt: clock.now))
            return { _ throws(LinkError) in SimulatedLink(vehicle: vehicle, clock: clock) }
        }
    }

    private static func bluetooth(
        _ target: BLETarget,
        _ clock: any MonotonicClock
    ) -> @Sendable (MonotonicTime) async throws(LinkError) -> any AdapterLink {
        let dialer = BLEDialer(target) { link in
            // Whatever prompts after its name was asked is an adapter; UUIDs and names prove nothing.
            let conversation = AdapterConversation(link, clock: clock)
            let outcome = try? await conversation.perform(Command("ATI", timeout: AdapterCommand.timeout))
            if case .reply(let lines) = outcome { return !lines.isEmpty }
            return false
        }
        let last = LastAdapter()
        return { deadline throws(LinkError) in
            do throws(BluetoothError) {
                let (link, address) = try await dialer.open(last: last.address, until: deadline)
                last.address = address
                return link
            } catch {
                throw .bluetooth(error)
            }
        }
    }

    /// The adapter that answered last.
    private final class LastAdapter: Sendable {
        private let value = Mutex<BluetoothAddress?>(nil)

        var address: BluetoothAddress? {
            get { self.value.withLock { $0 } }
            set { self.value.withLock { $0 = newValue } }
        }
    }
}

extension BLETarget {
    fileprivate init(_ adapter: Configuration.Adapter, address: String?) {
        self.init(
            address: address.flatMap(BluetoothAddress.init),
            characteristics: SerialCharacteristics.Wish(
                notify: adapter.notifyUUID.flatMap(BluetoothUUID.init),
                write: adapter.writeUUID.flatMap(BluetoothUUID.init)
            ),
            pin: adapter.pin
        )
    }
}
