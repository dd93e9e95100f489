// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The dangerous options that the configuration allows.
package struct CommandRules: Hashable, Sendable {
    /// Whether `raw_request` may send requests that write.
    package var allowsRawWriting: Bool
    /// Whether `clear_codes` may override the rule that the engine must be off.
    package var allowsEngineOverride: Bool

    package init(allowsRawWriting: Bool = false, allowsEngineOverride: Bool = false) {
        self.allowsRawWriting = allowsRawWriting
        self.allowsEngineOverride = allowsEngineOverride
    }
}
