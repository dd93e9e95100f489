// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration

/// The Mosquitto of this machine, as far as `setup` has to know it.
enum MosquittoState: Hashable, Sendable {
    /// The broker, or its program for passwords, is not installed.
    case absent
    /// A setting of somebody else's, which a listener of ours would contradict.
    case configured(file: String, line: Int, setting: String)
    /// The configuration has no listener and no users yet, or only ours.
    case free

    /// The settings that only one file may have, or that decide who may connect.
    private static let decisive: Set = [
        "listener", "port", "bind_address", "socket_domain", "password_file", "allow_anonymous", "acl_file",
        "per_listener_settings", "plugin", "auth_plugin", "global_plugin", "plugin_load", "psk_file",
    ]

    /// - Parameter files: the broker's configuration, without the file that `setup` writes.
    init(isInstalled: Bool, _ files: [SourceFile]) {
        guard isInstalled else {
            self = .absent
            return
        }
        for file in files {
            let lines = String(decoding: file.bytes, as: UTF8.self)
                .split(separator: "\n", omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() {
                let word = line.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
                guard Self.decisive.contains(word) else { continue }
                self = .configured(file: file.name, line: index + 1, setting: word)
                return
            }
        }
        self = .free
    }

    /// The reason why `setup` cannot set the broker up, with the next step; nil if it can.
    var problem: (text: String, next: String)? {
        switch self {
        case .free: nil
        case .absent:
            (
                "Mosquitto is not installed on this machine.",
                "sudo apt install mosquitto, then sudo obd-agent setup; or the URL of another broker"
            )
        case .configured(let file, let line, let setting):
            (
                "Mosquitto has a configuration of its own, which setup leaves alone: \(file):\(line) has \(setting).",
                "add a user there with mosquitto_passwd, and give its URL, such as mqtt://localhost:1883"
            )
        }
    }
}
