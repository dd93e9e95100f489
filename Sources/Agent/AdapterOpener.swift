// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import AdapterLink
package import Configuration
import OBD2
import Simulator
package import Timing

/// Opens links to the adapter that the configuration names.
package enum AdapterOpener {
    /// What is wrong with the invented vehicle.
    private static let simulatedCodes = [DTC(rawValue: 0x0301), DTC(rawValue: 0x0420)]

    /// - Parameter clock: the time of a simulated adapter.
    package static func opener(
        for address: AdapterAddress,
        clock: any MonotonicClock
    ) -> @Sendable (MonotonicTime) async throws(LinkError) -> any AdapterLink {
        switch address {
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
}
