// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

extension Timestamp {
    /// The lead of another machine's clock up to which its times count as the present.
    private static let lead = Duration.seconds(60)

    /// The text in the place of an unknown time or age.
    package static let unknownText = "at an unknown time"

    /// Returns the age as text for the user, such as `12 s ago`.
    ///
    /// The age of a time in the future is unknown: one of the two clocks is wrong.
    package func age(at now: Timestamp) -> String? {
        guard now - self >= .zero - Self.lead else { return nil }
        return (now - self).ageText
    }
}

extension Duration {
    /// The duration as the age of something, such as `12 s ago`.
    package var ageText: String {
        switch self.components.seconds {
        case ..<5: "just now"
        case let seconds where seconds < 60: "\(seconds) s ago"
        case let seconds where seconds < 3600: "\(seconds / 60) min ago"
        case let seconds where seconds < 48 * 3600: "\(seconds / 3600) h ago"
        case let seconds: "\(seconds / 86_400) d ago"
        }
    }
}
