// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The place of the settings of a connection to a broker, under whose names an error refers to them.
package enum BrokerSettings: Sendable {
    /// The options of the command.
    ///
    /// The values have the name of an environment variable if the user has set that instead of the option.
    case options(_ values: [OptionValue])
    /// The table `[mqtt]` of the agent's configuration.
    case configuration
    /// The configuration file of a collector.
    case collector

    /// The name of the broker's URL.
    var url: String { self.name("--broker", key: "url", collectorKey: "broker") }

    /// The name of the file of trusted authorities.
    var authorities: String { self.name("--ca-file", key: "ca_file") }

    /// The names of the user name and the password.
    var credentials: String {
        let password = self.name("--password-file", key: "password_file", isSecond: true)
        return "\(self.name("--username", key: "username")) and \(password)"
    }

    /// The names of the files of the client's certificate.
    var clientFiles: String {
        let key = self.name("--key-file", key: "key_file", isSecond: true)
        return "\(self.name("--certificate-file", key: "certificate_file")) and \(key)"
    }

    /// The way of a person around a port that is for the vehicles with their certificates.
    var portForPasswords: String {
        if case .configuration = self { return "" }
        return "another port in \(self.url), if the broker has one for users with a password, such as 8884; or "
    }

    /// The setting of the client id, where there is one.
    var clientID: String {
        switch self {
        case .options: " (--client-id)"
        case .configuration: ""
        case .collector: " (client_id)"
        }
    }

    /// Returns the name of a setting.
    ///
    /// - Parameters:
    ///   - key: the key of the agent's configuration.
    ///   - collectorKey: the key of a collector's configuration; nil if it is the same.
    ///   - isSecond: whether the name stands behind another one of the same table.
    private func name(_ option: String, key: String, collectorKey: String? = nil, isSecond: Bool = false) -> String {
        switch self {
        case .options(let values): values.first { $0.option == option }?.name ?? option
        case .configuration: isSecond ? key : "[mqtt] \(key)"
        case .collector: collectorKey ?? key
        }
    }
}
