// swift-tools-version: 6.2
// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// One list for every target. Proposals: SE-0335, SE-0409, SE-0444, SE-0461, SE-0470, SE-0481, SE-0458.
let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
        .strictMemorySafety(),
    ]
    // Warnings fail our own checks only; a newer compiler may know warnings that this code has never met.
    + (Context.environment["OBD_AGENT_WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)])

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

/// A module whose name its folder has.
func module(_ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: String(path.split(separator: "/").last ?? ""),
        dependencies: dependencies,
        path: "Sources/\(path)",
        swiftSettings: settings
    )
}

/// A library of the system behind a module map: `Sources/System/C…`.
func system(_ name: String, _ pkgConfig: String, _ packages: [String]) -> Target {
    .systemLibrary(
        name: name,
        path: "Sources/System/\(name)",
        pkgConfig: pkgConfig,
        providers: [.apt(packages)]
    )
}

/// A program: `Sources/Programs/…`.
func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies,
        path: "Sources/Programs/\(name)",
        swiftSettings: settings
    )
}

// Tests that compute little compile faster without the optimizer. All others take more time then than that saves.
let unoptimized: [SwiftSetting] = [.unsafeFlags(["-Onone"])]
let quickTests: Set = [
    "AdapterLink", "Collect", "Configuration", "Contract", "Diagnosis", "HomeAssistant", "MQTT", "PostgreSQL",
    "Remote", "SQLite", "SignalSets", "Systemd", "TOML",
]

/// The tests of a module: `Tests/…Tests`.
func tests(
    of name: String,
    _ dependencies: [Target.Dependency] = [],
    exclude: [String] = [],
    resources: [Resource] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name)] + dependencies,
        exclude: exclude,
        resources: resources,
        swiftSettings: quickTests.contains(name) ? settings + unoptimized : settings
    )
}

let package = Package(
    name: "obd-agent",
    products: [
        .executable(name: "obd-agent", targets: ["obd-agent"]),
        .executable(name: "obd-remote", targets: ["obd-remote"]),
        .executable(name: "obd-simulator", targets: ["obd-simulator"]),
    ],
    // Exact versions, those that other packages need too: the same sources make the same programs.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms.git", exact: "1.1.4"),
        .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", exact: "2.13.0"),
    ],
    targets: [
        // Values that everything else is made of: time, messages, topics, JSON.
        module("Base"),

        // The machine: C libraries, each behind one module of ours.
        system("CMosquitto", "libmosquitto", ["libmosquitto-dev"]),
        system("COpenSSL", "libssl", ["libssl-dev"]),
        system("CSystemd", "libsystemd", ["libsystemd-dev"]),
        system("CSQLite", "sqlite3", ["libsqlite3-dev"]),
        system("CPostgreSQL", "libpq", ["libpq-dev"]),
        system("CBluetooth", "bluez", ["libbluetooth-dev"]),
        system("CZlib", "zlib", ["zlib1g-dev"]),
        // Not pkg-config's cjose, which links libjansson as well: nothing of that is used.
        system("CCjose", "libcrypto", ["libssl-dev", "libcjose-dev"]),
        .target(name: "CLinux", path: "Sources/System/CLinux"),
        .systemLibrary(name: "CSocketCAN", path: "Sources/System/CSocketCAN"),
        module("System/EventLoop", ["Base", "CLinux"]),
        module("System/Archive", ["CZlib"]),
        module("System/SocketCAN", ["Base", "EventLoop", "CSocketCAN"]),
        module("System/Systemd", ["EventLoop", "CSystemd"]),
        module("System/JOSE", ["Base", "CCjose"]),
        module("System/SQLite", ["CSQLite"]),
        module("System/PostgreSQL", ["Base", "CPostgreSQL", "EventLoop"]),

        // The vehicle: what it says, how an adapter is asked, what may be asked when.
        module("Vehicle/OBD2", ["Base"]),
        module("Vehicle/SignalSets", ["Base", "OBD2"]),
        module("Vehicle/ELM327", ["OBD2"]),
        module("Vehicle/AdapterLink", ["Base", "EventLoop", "Systemd", "CBluetooth", "CLinux"]),
        module("Vehicle/Parking", ["Base"]),
        module("Vehicle/Drive", ["Base", "OBD2"]),
        module("Vehicle/CANBus", ["Base", "ELM327"]),
        module(
            "Vehicle/Session",
            ["Base", "OBD2", "ELM327", "AdapterLink", "CANBus", "Parking", "SocketCAN", logging]
        ),

        // The broker: what is published and obeyed, and what is kept until it has arrived.
        module("Broker/Contract", ["Base", "OBD2"]),
        module("Broker/HomeAssistant", ["Base", "OBD2", "Contract"]),
        module("Broker/MQTT", ["Base", "EventLoop", "CMosquitto", "COpenSSL", "CZlib"]),
        module("Broker/Store", ["Base", "Contract", "EventLoop", "SQLite"]),
        module("Broker/Commands", ["Base", "Contract", "OBD2", "Drive", "ELM327", "JOSE", logging]),
        module("Broker/Uplink", ["Base", "Contract", "MQTT", "Store", logging]),

        // The agent in the vehicle.
        module("Agent/TOML"),
        module("Agent/Configuration", ["Base", "Drive", "OBD2", "TOML"]),
        module("Agent/Diagnosis", ["Base", "OBD2", "ELM327", "AdapterLink", "Session"]),
        module(
            "Agent/Agent",
            [
                "Archive", "Base", "OBD2", "ELM327", "Contract", "HomeAssistant", "Configuration", "MQTT", "EventLoop",
                "AdapterLink", "JOSE", "Systemd", "Drive", "Parking", "Session", "SignalSets", "SocketCAN", "Store",
                "Commands", "Uplink",
                logging, unixSignals,
            ]
        ),

        // The other end of the broker.
        module("Remote/Subscriber", ["Base", "Contract", "MQTT", "OBD2"]),
        module("Remote/Remote", ["Base", "OBD2", "Contract", "JOSE", "MQTT", "Subscriber"]),
        module(
            "Remote/Collect",
            ["Base", "Contract", "EventLoop", "MQTT", "PostgreSQL", "SQLite", "Subscriber", logging]
        ),

        // A vehicle and an adapter that are not there.
        module("Simulator", ["Base", "OBD2", "ELM327", "EventLoop", "AdapterLink", "Systemd"]),

        // The programs, and what they share.
        module(
            "Programs/CommandLine",
            [
                "Base", "CLinux", "OBD2", "Drive", "Contract", "Configuration", "EventLoop", "MQTT", "Subscriber",
                argumentParser, logging, unixSignals,
            ]
        ),
        program(
            "obd-agent",
            [
                "Archive", "Base", "OBD2", "ELM327", "Contract", "Commands", "SignalSets", "Configuration", "JOSE",
                "MQTT", "Drive",
                "AdapterLink",
                "Session", "SocketCAN", "Diagnosis", "EventLoop", "Store", "Subscriber", "Systemd", "Agent",
                "CommandLine",
                argumentParser, logging,
            ]
        ),
        program(
            "obd-remote",
            [
                "Base", "OBD2", "Contract", "JOSE", "MQTT", "EventLoop", "PostgreSQL", "Systemd", "Configuration",
                "TOML", "Subscriber", "Remote", "Collect", "CommandLine",
                argumentParser, logging, unixSignals,
            ]
        ),
        program(
            "obd-simulator",
            [
                "Base", "OBD2", "ELM327", "Configuration", "Simulator", "Agent", "CommandLine", "EventLoop",
                argumentParser, logging, unixSignals,
            ]
        ),

        // Real programs for the tests: a broker, child processes, certificates.
        .target(name: "TestSupport", dependencies: ["EventLoop"], path: "Tests/TestSupport", swiftSettings: settings),

        // What must hold for every reply, whatever comes: held against a simulated vehicle's own log.
        .target(
            name: "Properties",
            dependencies: ["Base", "OBD2", "ELM327", "Session", "Simulator", "TestSupport"],
            path: "Tests/Properties",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "property-runner",
            dependencies: ["Properties"],
            path: "Tests/PropertyRunner",
            swiftSettings: settings
        ),
        .testTarget(name: "PropertyTests", dependencies: ["Properties"], swiftSettings: settings),

        // The whole agent, its vehicle and its broker in virtual time, and a file system with faults.
        .target(name: "FaultVFS", dependencies: ["CSQLite"], path: "Tests/FaultVFS"),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "Agent", "AdapterLink", "Base", "Configuration", "Contract", "EventLoop", "FaultVFS", "JOSE", "MQTT",
                "OBD2", "Simulator", "Store", "TestSupport", logging,
            ],
            swiftSettings: settings
        ),

        tests(of: "Base", ["TestSupport"]),
        tests(of: "EventLoop", ["Base", "TestSupport"]),
        tests(of: "Archive", ["TestSupport"]),
        tests(of: "Systemd", ["EventLoop", "TestSupport"]),
        tests(of: "JOSE", ["Base", "CCjose", "CLinux", "TestSupport"], exclude: ["Python"]),
        tests(of: "OBD2", ["Base"], resources: [.copy("Vectors")]),
        tests(of: "SignalSets", ["Base", "OBD2", "Configuration"], resources: [.copy("Sets")]),
        tests(of: "ELM327"),
        tests(of: "CANBus", ["Base", "ELM327", "TestSupport"]),
        tests(of: "SocketCAN", ["Base", "EventLoop", "TestSupport"]),
        tests(of: "AdapterLink", ["Base", "EventLoop", "TestSupport"]),
        .testTarget(
            name: "BlueZTests",
            dependencies: ["AdapterLink", "Base", "EventLoop", "Systemd", "CSystemd", "Simulator", "TestSupport"],
            swiftSettings: settings
        ),
        tests(of: "Parking", ["Base", "TestSupport"]),
        tests(of: "Drive", ["Base", "OBD2", "TestSupport"]),
        tests(
            of: "Session",
            [
                "Base", "OBD2", "ELM327", "EventLoop", "AdapterLink", "Parking", "Simulator", "SocketCAN",
                "TestSupport", logging,
            ]
        ),
        tests(of: "Contract", ["Base", "OBD2", "TestSupport"]),
        tests(of: "HomeAssistant", ["Base", "OBD2", "Contract"], exclude: ["Facts"]),
        tests(of: "MQTT", ["Base", "CZlib", "TestSupport"]),
        tests(of: "SQLite", ["TestSupport"]),
        tests(of: "PostgreSQL", ["Base", "EventLoop", "TestSupport"]),
        tests(of: "Store", ["Base", "Contract", "EventLoop", "SQLite", "TestSupport"]),
        .testTarget(
            name: "ExportTests",
            dependencies: ["Store", "Base", "Contract", "SQLite", "TestSupport"],
            swiftSettings: settings
        ),
        tests(
            of: "Commands",
            ["Base", "Contract", "OBD2", "Drive", "ELM327", "JOSE", "Simulator", "TestSupport", logging]
        ),
        tests(of: "Uplink", ["Base", "Contract", "OBD2", "MQTT", "Store", "EventLoop", "TestSupport", logging]),
        tests(of: "TOML", ["TestSupport"], exclude: ["Python"]),
        tests(of: "Configuration", ["Base", "Drive", "OBD2", "TestSupport"]),
        tests(
            of: "Diagnosis",
            [
                "Archive", "Base", "OBD2", "ELM327", "AdapterLink", "Parking", "Session", "Simulator", "TestSupport",
                logging,
            ],
            exclude: ["Fixtures"]
        ),
        tests(
            of: "Agent",
            [
                "Base", "EventLoop", "Systemd", "OBD2", "ELM327", "AdapterLink", "Parking", "Session", "Contract",
                "Drive", "MQTT", "Store", "SocketCAN",
                "Uplink", "Configuration", "SignalSets", "Simulator", "TestSupport", logging,
            ]
        ),
        tests(of: "Remote", ["Base", "Contract", "EventLoop", "JOSE", "MQTT", "Subscriber", "TestSupport"]),
        tests(
            of: "Collect",
            [
                "Base", "Contract", "EventLoop", "FaultVFS", "MQTT", "PostgreSQL", "SQLite", "Subscriber",
                "TestSupport", logging,
            ]
        ),
        tests(of: "Simulator", ["Base", "OBD2", "ELM327", "EventLoop", "AdapterLink", "TestSupport"]),
        // The whole decoding path, held against recorded replies of real vehicles where there are any.
        .testTarget(
            name: "OracleTests",
            dependencies: [
                "AdapterLink", "Agent", "Base", "CZlib", "Configuration", "ELM327", "OBD2", "Parking", "Session",
                "SignalSets", "Simulator", "TestSupport", logging,
            ],
            exclude: ["KnownDifferences"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "obd-agent", "obd-remote", "obd-simulator", "TestSupport", "Agent", "Base", "CommandLine",
                "Configuration", "Drive",
                "Contract", "ELM327", "Commands", "OBD2", "EventLoop", "MQTT", "Systemd", "AdapterLink", "JOSE",
                "Collect", "SignalSets", "SQLite", "Store",
                logging,
            ],
            exclude: ["Python"],
            swiftSettings: settings + unoptimized
        ),
    ],
    swiftLanguageModes: [.v6]
)

// scripts/mutate builds the tests of one module with what they need, and nothing else.
if let name = Context.environment["OBD_AGENT_ONLY_TESTS_OF"] {
    var needed: Set<String> = []
    var open = ["\(name)Tests"]
    while let next = open.popLast() {
        guard needed.insert(next).inserted else { continue }
        for dependency in package.targets.first(where: { $0.name == next })?.dependencies ?? [] {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): open.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
