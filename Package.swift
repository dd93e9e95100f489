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
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(of name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name)] + dependencies,
        resources: resources,
        swiftSettings: settings
    )
}

let package = Package(
    name: "obd-agent",
    products: [
        .executable(name: "obd-agent", targets: ["obd-agent"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        // Pure: the standard library only.
        module("Timing"),
        module("OBD2"),
        module("ELM327"),
        module("Messages"),
        module("TOML"),
        module("Contract", ["Timing", "OBD2", "Messages"]),
        module("HomeAssistant", ["Timing", "OBD2", "Messages", "Contract"]),
        module("SignalSets", ["OBD2", "Contract"]),
        module("Configuration", ["OBD2", "Messages", "TOML"]),

        // System libraries behind their wrappers.
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // Not pkg-config's cjose, which links libjansson as well: nothing of that is used.
        .systemLibrary(name: "CCjose", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev", "libcjose-dev"])]),
        .target(name: "CLinux"),
        module("EventLoop", ["Timing", "CLinux"]),
        module("Zlib", ["CZlib"]),
        module("JOSE", ["Contract", "CCjose"]),
        module("MQTT", ["Messages", "EventLoop", "CMosquitto", "COpenSSL"]),
        module("SQLite", ["CSQLite"]),
        module("SDBus", ["EventLoop", "CSystemd"]),
        module("Systemd", ["CSystemd"]),
        module("Bluetooth", ["Timing", "EventLoop", "CBluetooth", "CLinux"]),
        module("AdapterLink", ["Timing", "EventLoop", "SDBus", "Bluetooth"]),

        // What the agent does.
        module("Session", ["Timing", "OBD2", "ELM327", "AdapterLink", logging]),
        module("Diagnosis", ["Timing", "OBD2", "ELM327", "AdapterLink", "Session"]),
        module("Store", ["Timing", "Contract", "EventLoop", "SQLite"]),
        module("Export", ["Contract", "Store"]),
        module("Commands", ["Timing", "Contract", "OBD2", "Messages", "JOSE", logging]),
        module("Uplink", ["Timing", "Contract", "Messages", "Zlib", "MQTT", "Store", logging]),
        module("Remote", ["Timing", "Contract", "Messages", "Zlib", "JOSE", "MQTT"]),
        module("Simulator", ["Timing", "OBD2", "ELM327", "EventLoop", "AdapterLink", "SDBus"]),
        module(
            "Agent",
            [
                "Timing", "OBD2", "ELM327", "Messages", "Contract", "HomeAssistant", "Configuration", "MQTT",
                "EventLoop",
                "Bluetooth", "AdapterLink", "JOSE", "SDBus", "Systemd",
                "Session", "Store", "Commands", "Uplink", "Simulator", logging, serviceLifecycle, unixSignals,
            ]
        ),
        .executableTarget(
            name: "obd-agent",
            dependencies: [
                "Timing", "OBD2", "ELM327", "Messages", "Contract", "SignalSets", "Configuration", "JOSE", "MQTT",
                "AdapterLink", "Session", "Diagnosis", "CLinux", "EventLoop", "Store", "Export", "Remote",
                "Simulator", "Systemd", "Agent", argumentParser, logging, unixSignals,
            ],
            swiftSettings: settings
        ),

        // Real programs for the tests: a broker, child processes, certificates.
        .target(name: "TestSupport", dependencies: ["EventLoop"], path: "Tests/TestSupport", swiftSettings: settings),

        // What must hold for every reply, whatever comes: held against a simulated vehicle's own log.
        .target(
            name: "Properties",
            dependencies: ["Timing", "OBD2", "ELM327", "Session", "Simulator", "TestSupport"],
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
                "Agent", "AdapterLink", "Configuration", "Contract", "EventLoop", "FaultVFS", "JOSE", "MQTT",
                "Messages",
                "OBD2", "Simulator", "Store", "Timing", "TestSupport", logging, serviceLifecycle,
            ],
            swiftSettings: settings
        ),

        tests(of: "Messages"),
        .testTarget(
            name: "TOMLTests",
            dependencies: ["TOML", "TestSupport"],
            exclude: ["Python"],
            swiftSettings: settings
        ),
        tests(of: "MQTT", ["Messages", "TestSupport"]),
        tests(of: "OBD2", resources: [.copy("Vectors")]),
        tests(of: "Configuration", ["OBD2", "Messages", "TestSupport"]),
        tests(of: "SignalSets", ["OBD2", "Contract", "Configuration"], resources: [.copy("Sets")]),
        .testTarget(
            name: "HomeAssistantTests",
            dependencies: ["HomeAssistant", "Timing", "OBD2", "Messages", "Contract"],
            exclude: ["Facts"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "obd-agent", "TestSupport", "Agent", "Configuration", "Contract", "ELM327", "Commands", "OBD2",
                "EventLoop", "MQTT", "SDBus", "AdapterLink", "Bluetooth",
                "Messages", "JOSE", "SQLite", "Zlib", "Store", "Timing", logging,
            ],
            exclude: ["Python"],
            swiftSettings: settings
        ),
        tests(of: "Timing"),
        tests(of: "Zlib", ["CZlib", "TestSupport"]),
        .testTarget(
            name: "JOSETests",
            dependencies: ["JOSE", "CCjose", "Contract", "EventLoop", "TestSupport"],
            exclude: ["Python"],
            swiftSettings: settings
        ),
        tests(of: "EventLoop", ["Timing", "TestSupport"]),
        tests(of: "ELM327"),
        tests(of: "AdapterLink", ["Timing", "EventLoop", "Bluetooth", "TestSupport"]),
        tests(of: "Bluetooth", ["Timing", "EventLoop"]),
        .testTarget(
            name: "BlueZTests",
            dependencies: [
                "AdapterLink", "Timing", "EventLoop", "SDBus", "CSystemd", "Bluetooth", "Simulator", "TestSupport",
            ],
            swiftSettings: settings
        ),
        tests(of: "SDBus", ["EventLoop", "TestSupport"]),
        tests(of: "Simulator", ["Timing", "OBD2", "ELM327", "EventLoop", "AdapterLink", "TestSupport"]),
        tests(of: "Contract", ["OBD2", "Messages", "Timing", "TestSupport"]),
        tests(of: "SQLite", ["TestSupport"]),
        tests(of: "Store", ["Timing", "Contract", "EventLoop", "SQLite", "TestSupport"]),
        tests(of: "Export", ["Timing", "Contract", "Store", "SQLite", "TestSupport"]),
        tests(
            of: "Remote",
            ["Contract", "EventLoop", "JOSE", "MQTT", "Messages", "Timing", "Zlib", "TestSupport"]
        ),
        tests(
            of: "Uplink",
            ["Contract", "OBD2", "Messages", "MQTT", "Store", "Timing", "EventLoop", "TestSupport", logging]
        ),
        tests(of: "Commands", ["Contract", "OBD2", "Messages", "JOSE", "Timing", "Simulator", "TestSupport", logging]),
        tests(
            of: "Session",
            ["Timing", "OBD2", "ELM327", "EventLoop", "AdapterLink", "Simulator", "TestSupport", logging]
        ),
        .testTarget(
            name: "DiagnosisTests",
            dependencies: [
                "Diagnosis", "Timing", "OBD2", "ELM327", "AdapterLink", "Session", "Simulator", "TestSupport", logging,
            ],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        tests(
            of: "Agent",
            [
                "Configuration", "Contract", "OBD2", "ELM327", "MQTT", "Messages", "Session", "Simulator", "Timing",
                "Uplink",
                "EventLoop", "Systemd", "Zlib", "TestSupport", logging,
            ]
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
