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

/// A module of the agent, whose folders are linked into Sources.
func module(_ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: String(path.split(separator: "/").last ?? ""),
        dependencies: dependencies,
        path: "Sources/\(path)",
        swiftSettings: settings
    )
}

func system(_ name: String, _ pkgConfig: String) -> Target {
    .systemLibrary(name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig)
}

let package = Package(
    name: "obd-agent-fuzzing",
    dependencies: [
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2")
    ],
    targets: [
        module("Base"),
        system("CMosquitto", "libmosquitto"),
        system("COpenSSL", "libssl"),
        system("CCjose", "libcrypto"),
        system("CSystemd", "libsystemd"),
        system("CBluetooth", "bluez"),
        system("CZlib", "zlib"),
        .target(name: "CLinux", path: "Sources/System/CLinux"),
        module("System/EventLoop", ["Base", "CLinux"]),
        module("System/Systemd", ["EventLoop", "CSystemd"]),
        module("System/JOSE", ["Base", "CCjose"]),
        module("Vehicle/OBD2", ["Base"]),
        module("Vehicle/SignalSets", ["Base", "OBD2"]),
        module("Vehicle/ELM327"),
        module("Vehicle/AdapterLink", ["Base", "EventLoop", "Systemd", "CBluetooth", "CLinux"]),
        module("Vehicle/Parking", ["Base"]),
        module("Vehicle/Session", ["Base", "OBD2", "ELM327", "AdapterLink", "Parking", logging]),
        module("Broker/Contract", ["Base", "OBD2"]),
        module("Broker/Commands", ["Base", "Contract", "OBD2", "ELM327", "JOSE", logging]),
        module("Broker/MQTT", ["Base", "EventLoop", "CMosquitto", "COpenSSL", "CZlib"]),
        module("Agent/TOML"),
        module("Agent/Configuration", ["Base", "OBD2", "TOML"]),
        module("Agent/Diagnosis", ["Base", "OBD2", "ELM327", "AdapterLink", "Session"]),
        .executableTarget(
            name: "Fuzzer",
            dependencies: [
                "Base", "OBD2", "ELM327", "Contract", "SignalSets", "Commands", "Configuration", "Diagnosis", "JOSE",
                "MQTT",
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
