// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension SimulatedAdapter {
    /// What kind of adapter it is.
    package struct Options: Sendable {
        /// What `AT Z` and `AT I` print.
        package var version = "ELM327 v1.5"
        /// The link to the client, with its serial line; none for one that takes no time.
        package var link: LinkTiming?
        /// Bits a second of the serial line behind the adapter, none for the link's.
        package var baudRate: Int?
        /// How long `AT Z` takes.
        package var resetTime = Duration.milliseconds(500)
        /// What an STN chip answers to `STI` and `STDI`; nil for others.
        package var firmware: String?
        package var hardware: String?
        /// What is not known of what may follow `AT`, by its beginning.
        package var missing = ["AMC", "AMT", "CTM", "CER"]
        /// What is accepted and has no effect, likewise.
        package var ignored: [String] = []
        /// What it does wrong, by the numbers of ``Quirk``.
        package var quirks: Set<Int> = []
        package var ignoresResponseCount = false
        /// Of a request for several values it asks for the first only.
        package var dropsFurtherPIDs = false
        package var neverAnswersReset = false

        package init() {}
    }
}
