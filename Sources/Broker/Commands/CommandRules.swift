// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What the configuration allows beyond what is safe for everybody.
package struct CommandRules: Hashable, Sendable {
    /// Whether `raw_request` may write.
    package var allowsRawWriting: Bool
    /// Whether `clear_codes` may be told to clear while the engine runs.
    package var allowsEngineOverride: Bool

    package init(allowsRawWriting: Bool = false, allowsEngineOverride: Bool = false) {
        self.allowsRawWriting = allowsRawWriting
        self.allowsEngineOverride = allowsEngineOverride
    }
}
