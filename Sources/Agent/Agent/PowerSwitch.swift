// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Systemd

/// Switches the machine off through systemd-logind (org.freedesktop.login1(5)).
package enum PowerSwitch {
    private static let path = "/org/freedesktop/login1"
    /// The timeout for the reply of logind, which asks polkit.
    private static let timeout = Duration.seconds(30)

    /// Requests the switch-off, which a rule of polkit allows to the service's user.
    ///
    /// logind refuses it while a user is logged in or an inhibitor is active, such as that of an update.
    package static func powerOff(over address: BusConnection.Address = .system) async throws(BusError) {
        let bus = try await BusConnection(address)
        defer { bus.close() }
        // Not interactive: no user is present to enter a password.
        let call = MethodCall(
            "org.freedesktop.login1",
            Self.path,
            "org.freedesktop.login1.Manager",
            "PowerOff",
            [.boolean(false)]
        )
        try await bus.call(call, timeout: Self.timeout)
    }
}
