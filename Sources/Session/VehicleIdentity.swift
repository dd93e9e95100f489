// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2

/// What is known of the vehicle that answers.
package struct VehicleIdentity: Hashable, Sendable {
    package var bus: BusProtocol
    package var ecus: [ECUAddress: ECUIdentity]

    package init(bus: BusProtocol, ecus: [ECUAddress: ECUIdentity]) {
        self.bus = bus
        self.ecus = ecus
    }

    /// How replies are laid out on its bus.
    package var layout: MessageLayout { self.bus.isCAN ? .can : .legacy }

    /// The ECU that owns the parameters' topics: the engine's, which knows engine speed; else the first.
    package var primary: ECUAddress? {
        let inOrder = self.ecus.sorted { $0.key < $1.key }
        return (inOrder.first { $0.value.supported.contains(0x0C) } ?? inOrder.first)?.key
    }

    /// The VIN, where every ECU that has one has the same.
    package var vin: VIN? {
        let vins = Set(self.ecus.values.compactMap(\.vin))
        return vins.count == 1 ? vins.first : nil
    }

    /// Whether some ECU supports `pid`.
    package func supports(_ pid: PID) -> Bool {
        self.ecus.values.contains { $0.supported.contains(pid) }
    }
}

/// What is known of one ECU.
package struct ECUIdentity: Hashable, Sendable {
    package var supported = SupportedPIDs()
    package var vin: VIN?
    package var name: VehicleInformation.ECUName?
    package var calibrationIDs: [String] = []
    package var calibrationVerificationNumbers: [String] = []

    package init() {}
}
