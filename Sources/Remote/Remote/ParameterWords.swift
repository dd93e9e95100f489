// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import OBD2

/// The words of a command line that name parameters.
package enum ParameterWords {
    private static let categoryPrefix = "category:"

    /// Returns the names in words, each of which may have several with commas, in their order and without duplicates.
    ///
    /// - Parameters:
    ///   - option: the option or the argument, for the error.
    ///   - withCategories: whether a category may be named too.
    package static func names(
        _ words: [String],
        of option: String,
        withCategories: Bool = false
    ) throws(ArgumentProblem) -> [String] {
        var names: [String] = []
        for name in words.flatMap({ $0.split(separator: ",") }).map(String.init) where !names.contains(name) {
            guard !name.contains("=") else {
                throw ArgumentProblem(
                    "\(option): \(JSON.string(name).text) is a name with a number, and a name is expected",
                    next: String(name.prefix { $0 != "=" })
                )
            }
            try Self.check(name, withCategories: withCategories)
            names.append(name)
        }
        guard words.isEmpty || !names.isEmpty else {
            throw ArgumentProblem("\(option): no name is given", next: "a name such as engine_speed")
        }
        guard names.count <= CommandLimits.parameters else {
            throw ArgumentProblem("\(option): \(names.count) names are more than \(CommandLimits.parameters)")
        }
        return names
    }

    /// Throws if a word can be no name in any vehicle.
    static func check(_ word: String, withCategories: Bool) throws(ArgumentProblem) {
        if word.hasPrefix(Self.categoryPrefix) {
            let wanted = String(word.dropFirst(Self.categoryPrefix.count))
            let categories = ParameterCategory.allCases.filter { $0 != .other }.map(\.rawValue)
            guard withCategories else {
                throw ArgumentProblem("\(JSON.string(word).text) is a category, and only parameters can be named here")
            }
            guard !categories.contains(wanted) else { return }
            let next =
                Spelling.closest(to: wanted, in: categories).map { Self.categoryPrefix + $0 }
                ?? "one of \(categories.joined(separator: ", "))"
            throw ArgumentProblem("\(JSON.string(wanted).text) is no category", next: next)
        }
        guard !ParameterName.isName(word) else { return }
        throw ArgumentProblem(
            "\(JSON.string(word).text) can be no parameter's name",
            next: ParameterName.correction(of: word) ?? "a name of obd-agent parameters list, such as engine_speed"
        )
    }

    /// Returns the name in the catalog that was probably meant, by each name that is not in the catalog.
    ///
    /// - Parameter report: the payload of the vehicle's topic `vehicle`; the custom and derived parameters that it names
    ///   are known.
    package static func corrections(_ names: [String], knowing report: JSON) -> [(name: String, correction: String)] {
        let known = Self.names(in: report)
        return names.compactMap { name in
            guard !known.contains(name) else { return nil }
            return ParameterName.correction(of: name).map { (name, $0) }
        }
    }

    /// Returns the names of parameters in a report of a vehicle.
    private static func names(in report: JSON) -> Set<String> {
        var names: Set<String> = []
        for key in ["selected", "dead_bands", "derived", "units", "true_values"] {
            names.formUnion(report[key].members.map { String($0.0) })
        }
        names.formUnion(report["roles"].members.flatMap { $0.1.elements }.compactMap(\.string))
        names.formUnion(report["unsupported"].elements.compactMap(\.string))
        return names
    }
}
