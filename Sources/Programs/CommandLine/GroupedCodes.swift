// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// The codes of a vehicle as text, grouped by the part of the vehicle, with their descriptions.
package struct GroupedCodes {
    private struct Heading: Hashable, Comparable {
        let category: Int
        let group: DTC.Group?
        let text: String

        init(_ code: TroubleCode) {
            let categories = DTC.Category.allCases
            self.category = code.dtc.flatMap { categories.firstIndex(of: $0.category) } ?? categories.count
            self.group = code.dtc?.group
            self.text = code.heading
        }

        static func < (left: Heading, right: Heading) -> Bool {
            guard left.category == right.category else { return left.category < right.category }
            // Codes without a group come last.
            guard let group = left.group, let other = right.group else {
                return left.group != nil && right.group == nil
            }
            return group < other
        }
    }

    /// A code of an ECU, the states in which the ECU lists it, and the action that it requests of the driver.
    package struct Entry {
        var code: TroubleCode
        var ecu: String
        var states: [String]
        var severity: String?

        package init(code: TroubleCode, ecu: String, states: [String], severity: String? = nil) {
            self.code = code
            self.ecu = ecu
            self.states = states
            self.severity = severity
        }

        fileprivate var line: String {
            let severity = self.severity.map { ": \($0)" } ?? ""
            return "         \(self.ecu)  \(self.states.joined(separator: ", "))\(severity)"
        }
    }

    private var groups: [Heading: [TroubleCode: [Entry]]] = [:]

    /// - Parameter entries: the codes. Those of one code are in the order in which its ECUs are shown.
    package init(_ entries: [Entry]) {
        for entry in entries {
            self.groups[Heading(entry.code), default: [:]][entry.code, default: []].append(entry)
        }
    }

    /// The list, no line longer than 80 columns.
    package var lines: [String] {
        self.groups.sorted { $0.key < $1.key }.flatMap { heading, codes in
            ["", heading.text]
                + codes.sorted { $0.key < $1.key }.flatMap { code, entries in
                    code.lines.map { "  \($0)" }
                        + entries.map(\.line)
                }
        }
    }
}

extension TroubleCode {
    /// The part of the vehicle and the component group, as a heading.
    package var heading: String {
        guard let code = self.dtc else { return "Heavy-duty vehicle (SAE J1939)" }
        let category = code.category.rawValue.prefix(1).uppercased() + code.category.rawValue.dropFirst()
        return code.group.map { "\(category): \($0.title)" } ?? category
    }

    /// The code and its description, for an indentation of two.
    package var lines: [String] {
        let code = self.description
        let indent = String(repeating: " ", count: code.count)
        return self.explanation.wrapped(columns: 76 - code.count).enumerated().map { index, line in
            "\(index == 0 ? code : indent)  \(line)"
        }
    }
}
