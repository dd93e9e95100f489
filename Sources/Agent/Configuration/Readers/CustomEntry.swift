// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// A custom parameter and the place that defines it.
struct CustomEntry: Sendable {
    let parameter: CustomParameter
    /// The poll interval if `[parameters]` gives none.
    ///
    /// Without either, the parameter is not polled.
    let interval: Duration?
    let file: String
    let line: Int

    /// The most custom parameters in all files together.
    static let limit = 2000
    /// The longest name, in bytes.
    static let nameLimit = 64
}

/// The keys of a table `[custom.NAME]`.
enum CustomKey: String, CaseIterable, Sendable {
    case title, frame, multiplexor, request, header, receive
    case multiplexValue = "multiplex_value"
    case extendedAddress = "extended_address"
    case testerAddress = "tester_address"
    case flowControl = "flow_control"
    case timeout, formula, unit, min, max, labels, role, interval
    case trueValues = "true_values"
}

/// The place of a table `[custom.NAME]`.
struct CustomTable: Sendable {
    let name: String

    var path: [String] { [Section.custom.rawValue, self.name] }

    func path(_ key: CustomKey) -> [String] {
        self.path + [key.rawValue]
    }
}
