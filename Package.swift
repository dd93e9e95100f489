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
let tomlKit = Target.Dependency.product(name: "TOMLKit", package: "TOMLKit")

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
        .package(url: "https://github.com/LebJe/TOMLKit.git", from: "0.6.0"),
    ],
    targets: [
        // Pure: the standard library only.
        module("Timing"),
        module("OBD2"),
        module("ELM327"),
        module("Messages"),
        module("Contract", ["Timing", "OBD2", "Messages"]),

        // System libraries behind their wrappers.
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
        .target(name: "CLinux"),
        module("Configuration", ["OBD2", "Messages", tomlKit]),
        module("EventLoop", ["Timing", "CLinux"]),
        module("MQTT", ["Messages", "EventLoop", "CMosquitto"]),
        module("SDBus", ["EventLoop", "CSystemd"]),
        module("Bluetooth", ["Timing", "EventLoop", "CBluetooth", "CLinux"]),
        module("AdapterLink", ["Timing", "EventLoop", "SDBus", "Bluetooth"]),

        // What the agent does.
        module("Session", ["Timing", "OBD2", "ELM327", "AdapterLink", logging]),
        module("Store", ["Contract"]),
        module("Commands", ["Timing", "Contract", "OBD2", "Messages", logging]),
        module("Uplink", ["Timing", "Contract", "Messages", "MQTT", "Store", logging]),
        module("Simulator", ["Timing", "OBD2", "ELM327", "EventLoop", "AdapterLink", "SDBus"]),
        module(
            "Agent",
            [
                "Timing", "OBD2", "ELM327", "Contract", "Configuration", "MQTT", "EventLoop", "Bluetooth",
                "AdapterLink",
                "Session", "Store", "Commands", "Uplink", "Simulator", logging, serviceLifecycle, unixSignals,
            ]
        ),
        .executableTarget(
            name: "obd-agent",
            dependencies: [
                "Timing", "OBD2", "ELM327", "Contract", "Configuration", "MQTT", "AdapterLink", "Session",
                "Simulator", "Agent", argumentParser, logging, unixSignals,
            ],
            swiftSettings: settings
        ),

        // Real programs for the tests: a broker, child processes, certificates.
        .target(name: "TestSupport", dependencies: ["EventLoop"], path: "Tests/TestSupport", swiftSettings: settings),

        tests(of: "Messages"),
        tests(of: "MQTT", ["Messages", "TestSupport"]),
        tests(of: "OBD2", resources: [.copy("Vectors")]),
        tests(of: "Configuration", ["OBD2", "Messages"]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: ["obd-agent", "TestSupport", "Contract", "Commands", "OBD2", "EventLoop"],
            exclude: ["Python"],
            swiftSettings: settings
        ),
        tests(of: "Timing"),
        tests(of: "EventLoop", ["Timing"]),
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
        tests(of: "Simulator", ["Timing", "OBD2", "ELM327", "EventLoop", "AdapterLink"]),
        tests(of: "Contract", ["OBD2", "Messages", "Timing", "TestSupport"]),
        tests(of: "Store", ["Contract", "TestSupport"]),
        tests(of: "Uplink", ["Contract", "OBD2", "Messages", "MQTT", "Store", "Timing", "TestSupport", logging]),
        tests(of: "Commands", ["Contract", "OBD2", "Messages", "Timing", "Simulator", "TestSupport", logging]),
        tests(
            of: "Session",
            ["Timing", "OBD2", "ELM327", "AdapterLink", "Simulator", "TestSupport", logging]
        ),
        tests(of: "Agent", ["Contract", "OBD2", "ELM327", "Session", "Timing", "Uplink", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)
