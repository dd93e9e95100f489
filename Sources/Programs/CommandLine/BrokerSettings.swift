// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The place of the settings of a connection to a broker, under whose names an error refers to them.
package enum BrokerSettings: Sendable {
    /// The options of the command.
    case options
    /// The table `[mqtt]` of the agent's configuration.
    case configuration
    /// The configuration file of a collector.
    case collector

    /// The name of the broker's URL.
    var url: String { self.choose("--broker", "[mqtt] url", "broker") }

    /// The name of the file of trusted authorities.
    var authorities: String { self.choose("--ca-file", "[mqtt] ca_file", "ca_file") }

    /// The names of the user name and the password.
    var credentials: String {
        self.choose(
            "--username and --password-file",
            "[mqtt] username and password_file",
            "username and password_file"
        )
    }

    /// The names of the files of the client's certificate.
    var clientFiles: String {
        self.choose(
            "--certificate-file and --key-file",
            "[mqtt] certificate_file and key_file",
            "certificate_file and key_file"
        )
    }

    /// The setting of the client id, where there is one.
    var clientID: String { self.choose(" (--client-id)", "", " (client_id)") }

    private func choose(_ option: String, _ key: String, _ collectorKey: String) -> String {
        switch self {
        case .options: option
        case .configuration: key
        case .collector: collectorKey
        }
    }
}
