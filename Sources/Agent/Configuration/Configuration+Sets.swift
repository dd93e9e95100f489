// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

extension Configuration {
    /// The most custom parameters at a time.
    package static let customLimit = CustomEntry.limit

    /// Returns the custom parameters of a set, each with its poll interval; nil if the set gives none.
    ///
    /// Requests outside of the diagnostic addresses are errors.
    package static func parameters(
        of set: SourceFile
    ) throws(ConfigurationError) -> [(parameter: CustomParameter, interval: Duration?)] {
        try CustomSetReader.entries(of: set, allowsAnyHeader: false).map { ($0.parameter, $0.interval) }
    }
}
