// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Drive

extension Configuration {
    /// The limits of the tables `[limit.NAME]`, with the parameters that the agent computes.
    package struct Computed: Equatable, Sendable {
        /// The derived parameters that may be selected, each behind those that it is computed from.
        package var derived: [DerivedParameter] = []
        /// The limits, ordered by name.
        package var limits: [LimitRule] = []
        /// The values that a condition may name.
        package var values = NamedValues([], derived: [], isOpen: false)

        package init() {}
    }
}
