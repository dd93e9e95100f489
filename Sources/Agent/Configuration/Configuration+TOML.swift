// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Configuration {
    /// Reads a configuration.
    ///
    /// Unknown keys, wrong types and values out of range are errors. One pass finds all of them.
    ///
    /// - Parameters:
    ///   - bytes: the whole main file, UTF-8, at most 1 MiB.
    ///   - file: the name of the main file, for errors.
    ///   - overlays: the files that are read after the main file, in this order; a later key replaces an earlier one.
    ///   - host: the values of variables and credentials.
    ///   - sets: returns the set of parameters at a path, or all sets of a directory.
    package init(
        toml bytes: [UInt8],
        file: String,
        overlays: [SourceFile] = [],
        host: HostFacts = HostFacts(),
        sets: (String) throws(ConfigurationError) -> [SourceFile] = SourceFile.tomlFiles(at:)
    ) throws(ConfigurationError) {
        let main = SourceFile(name: file, bytes: bytes)
        var cursor = try ConfigurationCursor(main, overlays: overlays, host: host)
        KeyCheck.reportUnknownKeys(&cursor)
        let vehicle = VehicleReader.read(&cursor)
        let adapter = AdapterReader.read(&cursor)
        let mqtt = MQTTReader.read(&cursor)
        let custom = CustomSetReader.read(sets, &cursor)
        let catalog = CatalogReader.read(&cursor)
        let detectsSets = CatalogReader.detectsSets(&cursor)
        let (derived, values) = DerivedReader.read(custom, vehicle.engine, isOpen: detectsSets, &cursor)
        let parameters = ParametersReader.read(custom, derived, &cursor)
        var computed = Computed()
        computed.derived = derived.map(\.parameter)
        computed.limits = LimitReader.read(values, &cursor)
        computed.values = values
        let captures = CaptureReader.read(CaptureReader.Names(values, custom, derived), &cursor)
        let commands = CommandsReader.read(&cursor)
        let clock = Clock(trust: cursor.word(.clockTrust) ?? .kernel)
        let position = PositionReader.read(clock, &cursor)
        let parking = ParkingReader.read(custom, detectsSets: detectsSets, &cursor)
        let power = PowerReader.read(&cursor)
        let store = StoreReader.read(&cursor)
        let uplink = UplinkReader.read(&cursor)
        let trips = TripsReader.read(&cursor)
        let upgrade = UpgradeReader.read(&cursor)
        let homeAssistant = HomeAssistantReader.read(&cursor)
        self.mqtt = try cursor.require(mqtt)
        self.homeAssistant = try cursor.require(homeAssistant)
        self.vehicle = vehicle
        self.adapter = adapter
        self.parameters = parameters
        self.custom = custom.map(\.parameter)
        self.computed = computed
        self.captures = captures
        self.catalog = catalog
        self.detectsSets = detectsSets
        self.commands = commands
        self.clock = clock
        self.position = position
        self.parking = parking
        self.power = power
        self.store = store
        self.uplink = uplink
        self.trips = trips
        self.upgrade = upgrade
    }
}
