// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import AdapterLink
package import Base
package import Configuration
import ELM327
import EventLoop
package import Logging
import OBD2
import Session

/// Opens links to the configured adapter.
package enum AdapterOpener {
    /// Opens a new link before a deadline.
    package typealias Opener = @Sendable (MonotonicTime) async throws(LinkError) -> any AdapterLink

    /// Returns the opener for the transport of the configured address.
    ///
    /// - Parameters:
    ///   - clock: the clock of the dialogue that proves an adapter.
    ///   - logger: the logger that gets each notice once.
    package static func opener(
        for adapter: Configuration.Adapter,
        clock: any MonotonicClock,
        logger: Logger
    ) -> Opener {
        switch adapter.address {
        case .ble(let address):
            return Self.bluetooth(BLETarget(adapter, address: address), clock, logger)
        case .rfcomm(let address):
            return Self.classic(address, clock)
        case .tcp(let host, let port):
            return { deadline throws(LinkError) in try await TCPLink.open(host: host, port: port, until: deadline) }
        case .serial(let path, let baud):
            return { _ throws(LinkError) in try SerialLink.open(path: path, baud: baud) }
        case .can(let name):
            // No link leads there: `Session.Way` has a case for it.
            return { _ throws(LinkError) in
                throw .cannotOpen(address: "can:\(name)", reason: "a CAN interface has no adapter to talk to")
            }
        }
    }

    /// Returns a probe that takes a device for an adapter if `ATI` gets a reply and a prompt.
    ///
    /// UUIDs and names prove nothing.
    package static func probe(_ clock: any MonotonicClock) -> BLEDialer.Probe {
        { link in
            let conversation = AdapterConversation(link, clock: clock)
            let outcome = try? await conversation.perform(.name)
            if case .reply(let lines) = outcome { return !lines.isEmpty }
            return false
        }
    }

    private static func bluetooth(
        _ target: BLETarget,
        _ clock: any MonotonicClock,
        _ logger: Logger
    ) -> Opener {
        let notices = Once()
        let dialer = BLEDialer(target, probe: Self.probe(clock)) { outcome in
            guard case .done = outcome else {
                return notices.perform {
                    logger.notice("The connection interval was not shortened, so polling is slower: \(outcome)")
                }
            }
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

    private static func classic(_ address: String, _ clock: any MonotonicClock) -> Opener {
        return { deadline throws(LinkError) in
            guard let address = BluetoothAddress(address) else {
                throw .cannotOpen(address: "rfcomm:\(address)", reason: "not a Bluetooth address")
            }
            do throws(BluetoothError) {
                return try await RFCOMMDialer(address, probe: Self.probe(clock)).open(until: deadline)
            } catch {
                throw .bluetooth(error)
            }
        }
    }

    /// An action that is performed once.
    private final class Once: Sendable {
        private let isDone = Locked(false)

        func perform(_ body: () -> Void) {
            let isFirst = self.isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            if isFirst { body() }
        }
    }

    /// The address of the adapter that answered last.
    private final class LastAdapter: Sendable {
        private let value = Locked<BluetoothAddress?>(nil)

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
            characteristics: SerialCharacteristics.Requirement(
                notify: adapter.notifyUUID.flatMap(BluetoothUUID.init),
                write: adapter.writeUUID.flatMap(BluetoothUUID.init)
            ),
            pin: adapter.pin
        )
    }
}
