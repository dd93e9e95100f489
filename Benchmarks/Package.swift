// swift-tools-version: 6.2
// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The modules under test stand here as links, not as a dependency: what they show is `package`, and stays so.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .strictMemorySafety(),
]

let package = Package(
    name: "obd-agent-benchmarks",
    targets: [
        .target(name: "Base", swiftSettings: settings),
        .target(name: "OBD2", dependencies: ["Base"], path: "Sources/Vehicle/OBD2", swiftSettings: settings),
        .target(
            name: "ELM327",
            dependencies: ["OBD2"],
            path: "Sources/Vehicle/ELM327",
            swiftSettings: settings
        ),
        // Counts what is allocated, in the place of the C library's own functions.
        .target(name: "CAllocations"),
        .executableTarget(
            name: "Benchmarks",
            dependencies: ["OBD2", "ELM327", "CAllocations"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
