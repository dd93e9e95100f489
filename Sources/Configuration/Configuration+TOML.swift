// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Configuration {
    /// Reads a configuration.
    ///
    /// Unknown keys, wrong types and values out of range are errors; all of them are found in one pass.
    ///
    /// - Parameters:
    ///   - text: the whole file.
    ///   - file: its name, for the errors.
    package init(toml text: String, file: String) throws(ConfigurationError) {
        try self.init(bytes: Array(text.utf8), file: file)
    }

    /// Reads a configuration from the bytes of a file: UTF-8, at most 1 MiB.
    init(bytes: [UInt8], file: String) throws(ConfigurationError) {
        var reader = try ConfigurationReader(Document(bytes, file: file), file: file)
        reader.reportUnknownKeys()
        let vehicle = reader.vehicle()
        let adapter = reader.adapter()
        let mqtt = reader.mqtt()
        let parameters = reader.parameters()
        let commands = reader.commands()
        let clock = Clock(trust: reader.word(.clockTrust) ?? .kernel)
        let uplink = reader.uplink()
        self.vehicle = vehicle
        self.adapter = try reader.finish(adapter)
        self.mqtt = try reader.finish(mqtt)
        self.parameters = parameters
        self.commands = commands
        self.clock = clock
        self.uplink = uplink
    }
}
