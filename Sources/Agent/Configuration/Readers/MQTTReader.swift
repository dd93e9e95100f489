// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import TOML

/// Reads the table `[mqtt]`.
enum MQTTReader {
    /// Returns `nil` if the topic prefix is invalid.
    static func read(_ cursor: inout ConfigurationCursor) -> Configuration.MQTT? {
        let servers = Self.servers(&cursor)
        let username = cursor.text(.mqttUsername)
        let passwordFile = cursor.path(.mqttPasswordFile)
        if passwordFile != nil, username == nil {
            cursor.report(Key.mqttPasswordFile.path, "has no effect without username")
        }
        let caFile = cursor.path(.mqttCAFile)
        let certificateFile = cursor.path(.mqttCertificateFile)
        let keyFile = cursor.path(.mqttKeyFile)
        if certificateFile != nil, keyFile == nil {
            cursor.report(Key.mqttCertificateFile.path, "has no effect without key_file")
        }
        if keyFile != nil, certificateFile == nil {
            cursor.report(Key.mqttKeyFile.path, "has no effect without certificate_file")
        }
        if Self.isWithoutBroker(cursor) {
            let files = [
                (Key.mqttUsername, username), (.mqttCAFile, caFile), (.mqttCertificateFile, certificateFile),
            ]
            for (key, value) in files where value != nil {
                cursor.report(key.path, "has no effect without url. Try: url = \"mqtts://broker.example:8883\"")
            }
        }
        if !servers.isEmpty, !servers.contains(where: \.tls) {
            for (key, file) in [(Key.mqttCAFile, caFile), (.mqttCertificateFile, certificateFile)] where file != nil {
                cursor.report(key.path, "has no effect without an mqtts:// URL")
            }
        }
        let units: Configuration.Units = cursor.word(.mqttUnits) ?? .metric
        do {
            return try .init(
                servers: servers,
                username: username,
                passwordFile: passwordFile,
                caFile: caFile,
                certificateFile: certificateFile,
                keyFile: keyFile,
                topicPrefix: Topic(prefix: cursor.text(.mqttTopicPrefix) ?? "obd"),
                units: units
            )
        } catch {
            cursor.report(.mqttTopicPrefix, error)
            return nil
        }
    }

    /// Whether the file names no broker, so that the agent connects to none.
    private static func isWithoutBroker(_ cursor: ConfigurationCursor) -> Bool {
        switch cursor.value(.mqttURL) {
        case nil, .text(""), .array([]): true
        default: false
        }
    }

    private static func servers(_ cursor: inout ConfigurationCursor) -> [Configuration.Server] {
        let texts = cursor.textOrTexts(.mqttURL)
        let allowsPlaintext = cursor.flag(.mqttAllowPlaintext) ?? false
        var servers: [Configuration.Server] = []
        for (text, element) in texts {
            do throws(ValueError) {
                let server = try Configuration.Server(url: text)
                guard server.tls || server.isLocal || allowsPlaintext else { throw ValueError.plaintext("\(server)") }
                servers.append(server)
            } catch {
                cursor.report(.mqttURL, error, element: element)
            }
        }
        return servers
    }
}
