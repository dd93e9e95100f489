// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
package import OBD2

// What is known at this moment.
extension Session {
    /// The vehicle, while one is connected.
    package var identity: VehicleIdentity? { self.machine?.identity }

    /// The strength of the adapter's radio signal in dBm, which may take seconds to tell.
    ///
    /// Nil while no vehicle is connected, where there is no radio, and where it can't be had.
    package func signalStrength() async -> Int? {
        guard self.machine != nil else { return nil }
        return await self.link?.signalStrength()
    }

    /// The selected parameters that are not polled, because the vehicle does not support or does not answer them.
    package var unsupported: [ParameterKey] { self.machine?.unsupported ?? [] }
}
