// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Systemd

/// Has systemd-logind switch the machine off (org.freedesktop.login1(5)).
package enum PowerSwitch {
    private static let path = "/org/freedesktop/login1"
    /// How long logind, and polkit behind it, may take to answer.
    private static let patience = Duration.seconds(30)

    /// Asks for it, as the rule of polkit allows it to the service's user.
    ///
    /// It is refused while somebody is logged in, or holds the machine up: an update, say.
    package static func powerOff(over address: BusConnection.Address = .system) async throws(BusError) {
        let bus = try await BusConnection(address)
        defer { bus.close() }
        // Nobody is there who could be asked for a password.
        let call = MethodCall(
            "org.freedesktop.login1",
            Self.path,
            "org.freedesktop.login1.Manager",
            "PowerOff",
            [.boolean(false)]
        )
        try await bus.call(call, timeout: Self.patience)
    }
}
