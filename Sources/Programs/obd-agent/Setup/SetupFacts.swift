// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration

/// The facts about this machine on which the questions and the plan of `setup` depend.
struct SetupFacts: Sendable {
    /// The folder that stands for `/`; empty for this machine itself.
    var root = ""
    /// The path of the configuration, below ``root``.
    var configurationPath = "/etc/obd-agent/agent.toml"
    /// The text that the changes are made to: the present configuration, the sample, or nothing.
    var base = ""
    /// The name of the file that ``base`` comes from; nil if there is none.
    var baseName: String?
    /// Whether ``base`` is the present configuration.
    var isConfigured = false
    /// The present configuration; nil if there is none, or if it has a mistake.
    var present: Configuration?
    /// The files that are read after the configuration.
    var overlays: [SourceFile] = []
    var host = HostFacts()
    /// The paths that exist, of those that the plan writes or copies to.
    var existing: @Sendable (String) -> Bool = { _ in false }
    /// Whether systemd runs, so that services can be started.
    var hasSystemd = false
    var mosquitto = MosquittoState.absent

    /// Returns a path below ``root``.
    func path(_ path: String) -> String { self.root + path }

    /// Returns the first free name for a copy of a file: `agent.toml.old-1`.
    func copyName(of path: String) -> String {
        let number = (1...999).first { !self.existing("\(path).old-\($0)") } ?? 1000
        return "\(path).old-\(number)"
    }
}
