// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A kind of adapter as it is sold: the version that it claims, the commands that it lacks, and its quirks.
package struct Personality: Sendable {
    package let name: String
    /// A one-line description for the user.
    package let summary: String
    private let change: @Sendable (inout SimulatedAdapter.Options) -> Void

    private init(
        _ name: String,
        _ summary: String,
        _ change: @escaping @Sendable (inout SimulatedAdapter.Options) -> Void
    ) {
        self.name = name
        self.summary = summary
        self.change = change
    }

    /// Sets the options of an adapter to those of this kind.
    package func apply(to options: inout SimulatedAdapter.Options) {
        self.change(&options)
    }

    /// All personalities.
    package static let all: [Personality] = [
        Personality("genuine-1.5", "a flawless adapter that supports the commands of v1.4b") { _ in },
        Personality("genuine-2.2", "a flawless ELM327 v2.2") {
            $0.version = "ELM327 v2.2"
            $0.missing = []
        },
        Personality("clone-1.5", "the usual clone: garbage in its banner, no automatic receive address") {
            $0.missing += ["CEA", "FCS", "IGN", "RD"]
            $0.quirks = [3, 5]
            $0.ignored = ["AT"]
        },
        Personality("clone-2.1", "the notorious clone: claims v2.1, and supports fewer commands than v1.5") {
            $0.version = "ELM327 v2.1"
            $0.missing += ["S0", "CRA", "CEA", "FCS", "CFC", "CSM", "BD", "IGN", "RD", "SP6"]
            $0.quirks = [2, 6, 17]
            $0.ignored = ["AT", "ST"]
            $0.ignoresResponseCount = true
            $0.dropsFurtherPIDs = true
        },
        Personality("yes-man", "a clone that answers OK to every command, and performs only the essential ones") {
            $0.version = "ELM327 v2.1"
            $0.ignored = ["AT", "ST", "S0", "CRA", "AR", "SH", "FCS", "CFC", "AMT", "CTM", "CER"]
            $0.missing = []
            $0.quirks = [28, 44]
            $0.ignoresResponseCount = true
        },
        Personality("stn", "an STN chip, as in an OBDLink") {
            $0.version = "ELM327 v1.4b"
            $0.firmware = "STN1110 v4.2.0"
            $0.hardware = "OBDLink r1.7"
        },
        Personality("vlinker", "an STN chip that claims v2.2, over Bluetooth LE") {
            $0.version = "ELM327 v2.2"
            $0.firmware = "STN2120 v5.1.2"
            $0.hardware = "vLinker MC"
            $0.missing = []
            $0.quirks = [48]
        },
        Personality("wican", "a WiCAN: v1.3 without CAF, CFC, AL and R; its voltage reads 0.7 V too high") {
            $0.version = "ELM327 v1.3a"
            $0.missing += ["CAF", "CFC", "AL", "R0", "R1", "IGN", "RD", "FCS"]
            $0.quirks = [44]
        },
        Personality("icar", "a clone that never answers AT Z") {
            $0.neverAnswersReset = true
            $0.quirks = [5]
        },
    ]

    /// Returns the personality with this name, such as `clone-2.1`.
    package static func named(_ name: String) -> Personality? {
        self.all.first { $0.name == name }
    }
}
