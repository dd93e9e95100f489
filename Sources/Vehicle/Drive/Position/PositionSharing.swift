// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The extent to which positions leave the agent.
package enum PositionSharing: String, CaseIterable, Hashable, Sendable {
    /// The position and the track.
    case full
    /// The position on a grid of about one kilometer, without a track.
    case coarse
    /// The places where a trip begins and ends, and nothing else.
    case trips
    /// Nothing.
    case never

    /// Whether the present position is published.
    package var publishesPosition: Bool { self == .full || self == .coarse }
}
