// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine

/// The signs of whether a vehicle is in use, before requests that its manufacturer defines.
///
/// An engine may be off in a hybrid that drives, whether or not its ECUs show that it is one. So the user's word counts
/// for every vehicle, except against a parameter of the vehicle itself.
struct VehicleUse {
    /// The engine speed in rpm; nil if no ECU reports it.
    var engineSpeed: Double?
    /// The vehicle speed in km/h; nil if no ECU reports it.
    var vehicleSpeed: Double?
    /// The states of the drive by the names of the parameters with the role `ready`.
    var ready: [String: Bool] = [:]

    /// Returns the reason why the vehicle is not asked; nil if it is in use.
    ///
    /// - Parameter isSaidToBeOn: whether the user states that the vehicle is switched on.
    func obstacle(isSaidToBeOn: Bool) -> CommandFailure? {
        guard self.engineSpeed ?? 0 <= 0, self.vehicleSpeed ?? 0 <= 0, !self.ready.values.contains(true) else {
            return nil
        }
        if let name = self.ready.keys.min() {
            return CommandFailure(
                .failed,
                "the drive is off, says \(name), so the vehicle is not asked",
                next: "switch the vehicle on until it is ready to drive, then this command again."
            )
        }
        guard !isSaidToBeOn else { return nil }
        return CommandFailure(
            .failed,
            self.engineSpeed == nil
                ? "no ECU reports the engine speed, so the vehicle is not asked"
                : "the engine is off, so the vehicle is not asked",
            next: "start the engine; switch an electric vehicle or a hybrid on, and add --vehicle-is-on."
        )
    }
}
