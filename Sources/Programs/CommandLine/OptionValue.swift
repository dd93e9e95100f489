// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// The value of an option, or of the environment variable that stands for it.
package struct OptionValue: Hashable, Sendable {
    /// The value, which is not empty.
    package let text: String
    /// The option, such as `--ca-file`.
    package let option: String
    /// The name under which the user has set it: `--ca-file` or `OBD_AGENT_CA_FILE`.
    package let name: String

    /// - Parameters:
    ///   - text: the value of the option; nil if the option is missing. An empty one hides the variable.
    ///   - option: the name of the option, such as `--ca-file`.
    ///   - environment: returns the value of a variable.
    package init?(
        _ text: String?,
        of option: String,
        environment: (String) -> String? = { environmentVariable($0) }
    ) {
        let variable = "OBD_AGENT_" + option.drop { $0 == "-" }.uppercased().replacing("-", with: "_")
        guard let value = text ?? environment(variable), !value.isEmpty else { return nil }
        (self.text, self.option) = (value, option)
        self.name = text == nil ? variable : option
    }
}
