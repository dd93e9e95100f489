// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension SimulatedAdapter {
    /// The properties of the adapter.
    package struct Options: Sendable {
        /// The version that `AT Z` and `AT I` print.
        package var version = "ELM327 v1.5"
        /// The timing of the link to the client and of its serial line.
        ///
        /// Without it the link takes no time.
        package var link: LinkTiming?
        /// The bit rate of the serial line in bit/s; nil for that of ``link``.
        package var baudRate: Int?
        /// The duration of `AT Z`.
        package var resetTime = Duration.milliseconds(500)
        /// The answers of an STN chip to `STI` and `STDI`; nil for other chips.
        package var firmware: String?
        package var hardware: String?
        /// The prefixes of the `AT` commands that the adapter rejects with `?`, without the `AT`.
        package var missing = ["AMC", "AMT", "CTM", "CER"]
        /// The prefixes of the `AT` commands that the adapter accepts with `OK` and ignores, without the `AT`.
        package var ignored: [String] = []
        /// The quirks of the adapter, by the numbers of ``Quirk``.
        package var quirks: Set<Int> = []
        /// Whether the adapter ignores the digit of a request that counts the responses to wait for.
        package var ignoresResponseCount = false
        /// Whether the adapter sends only the first PID of a request for several.
        package var dropsFurtherPIDs = false
        /// Whether `AT Z` gets no answer at all.
        package var neverAnswersReset = false

        package init() {}
    }
}
