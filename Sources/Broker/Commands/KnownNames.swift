// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The names of parameters that commands may use, besides those of the catalogue.
package struct KnownNames: Hashable, Sendable {
    package var custom: Set<String>
    package var derived: Set<String>

    package init(custom: Set<String> = [], derived: Set<String> = []) {
        self.custom = custom
        self.derived = derived
    }
}
