// swift-tools-version: 6.2
// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The modules under test stand here as links, not as a dependency: what they show is `package`, and all of it has to be
// built with the sanitizers.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .strictMemorySafety(),
]

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
    name: "obd-agent-fuzzing",
    dependencies: [
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2")
    ],
    targets: [
        module("Timing"),
        module("OBD2"),
        module("ELM327"),
        module("Messages"),
        module("TOML"),
        module("Contract", ["Timing", "OBD2", "Messages"]),
        module("Commands", ["Timing", "Contract", "OBD2", "Messages", "JOSE", logging]),
        module("SignalSets", ["OBD2", "Contract"]),
        module("Configuration", ["OBD2", "Messages", "TOML"]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libssl"),
        module("MQTT", ["Messages", "EventLoop", "CMosquitto", "COpenSSL"]),
        .systemLibrary(name: "CCjose", pkgConfig: "libcrypto"),
        module("JOSE", ["Contract", "CCjose"]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd"),
        .systemLibrary(name: "CBluetooth", pkgConfig: "bluez"),
        .target(name: "CLinux"),
        module("EventLoop", ["Timing", "CLinux"]),
        module("SDBus", ["EventLoop", "CSystemd"]),
        module("Bluetooth", ["Timing", "EventLoop", "CBluetooth", "CLinux"]),
        module("AdapterLink", ["Timing", "EventLoop", "SDBus", "Bluetooth"]),
        module("Session", ["Timing", "OBD2", "ELM327", "AdapterLink", logging]),
        module("Diagnosis", ["Timing", "OBD2", "ELM327", "AdapterLink", "Session"]),
        .executableTarget(
            name: "Fuzzer",
            dependencies: [
                "Timing", "OBD2", "ELM327", "Messages", "Contract", "SignalSets", "Commands", "Configuration",
                "Diagnosis", "JOSE", "MQTT",
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
