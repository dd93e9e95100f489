// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import MQTT

/// The place of the settings of a connection to a broker, under whose names an error refers to them.
package enum BrokerSettings: Sendable {
    /// The options of the command.
    case options
    /// The table `[mqtt]` of the agent's configuration.
    case configuration

    /// The name of the broker's URL.
    fileprivate var url: String { self == .options ? "--broker" : "[mqtt] url" }

    /// The name of the file of trusted authorities.
    fileprivate var authorities: String { self == .options ? "--ca-file" : "[mqtt] ca_file" }

    /// The names of the user name and the password.
    fileprivate var credentials: String {
        self == .options ? "--username and --password-file" : "[mqtt] username and password_file"
    }
}

extension MQTTError {
    /// Returns the next step of the user.
    ///
    /// - Parameter settings: the place of the settings that may be wrong.
    package func nextStep(_ settings: BrokerSettings) -> String {
        switch self {
        case .cannotConnect:
            "check that the broker runs, that \(settings.url) is right, and that no firewall is in between."
        case .tls:
            """
            check that \(settings.authorities) is the authority of the broker's certificate, and that the \
            certificate's subject alternative names have the host.
            """
        case .refused(.badCredentials), .refused(.notAuthorized): "check \(settings.credentials)."
        case .tooLarge: "allow larger packets at the broker, in Mosquitto with max_packet_size."
        case .queueFull: "check the network, and that the broker keeps up; it has not acknowledged the messages before."
        case .connectionLost, .closed, .notConnected:
            "check the network and that the broker runs, then repeat the command."
        default: "read the broker's log."
        }
    }
}
