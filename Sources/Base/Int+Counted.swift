// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Int {
    /// Returns the number with a noun, as in `1 model` and `2 models`.
    package func counted(_ noun: String) -> String { "\(self) \(noun)" + (self == 1 ? "" : "s") }
}
