// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Drive

extension CaptureWatch {
    /// A reading of the codes has a single new one.
    mutating func codeAppeared(_ code: String, ecu: String, at now: Instant) -> [Action] {
        self.codesChanged([.codeAppeared(code, ecu: ecu)], at: now)
    }

    /// A reading of the codes has the lamp on, and no new code.
    mutating func milTurnedOn(at now: Instant) -> [Action] { self.codesChanged([.milOn], at: now) }
}
