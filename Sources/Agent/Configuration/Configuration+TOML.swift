// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Configuration {
    /// Reads a configuration.
    ///
    /// Unknown keys, wrong types and values out of range are errors; all of them are found in one pass.
    ///
    /// - Parameters:
    ///   - bytes: the whole file, UTF-8, at most 1 MiB.
    ///   - file: its name, for the errors.
    ///   - overlays: the files that are read after it, in this order: what they set counts.
    ///   - host: what it takes from the machine.
    ///   - sets: gives the set of parameters at a path, or all of a directory.
    package init(
        toml bytes: [UInt8],
        file: String,
        overlays: [SetFile] = [],
        host: HostFacts = HostFacts(),
        sets: (String) throws(ConfigurationError) -> [SetFile] = Configuration.sets(at:)
    ) throws(ConfigurationError) {
        var reader = try ConfigurationReader(bytes, file: file, overlays: overlays, host: host)
        reader.reportUnknownKeys()
        let vehicle = reader.vehicle()
        let adapter = reader.adapter()
        let mqtt = reader.mqtt()
        let custom = reader.allCustom(sets)
        let parameters = reader.parameters(custom)
        let commands = reader.commands()
        let clock = Clock(trust: reader.word(.clockTrust) ?? .kernel)
        let parking = reader.parking()
        let power = reader.power()
        let store = reader.store()
        let uplink = reader.uplink()
        let homeAssistant = reader.homeAssistant()
        self.vehicle = vehicle
        self.adapter = try reader.finish(adapter)
        self.mqtt = try reader.finish(mqtt)
        self.parameters = parameters
        self.custom = custom.map(\.parameter)
        self.commands = commands
        self.clock = clock
        self.parking = parking
        self.power = power
        self.store = store
        self.uplink = uplink
        self.homeAssistant = try reader.finish(homeAssistant)
    }
}
