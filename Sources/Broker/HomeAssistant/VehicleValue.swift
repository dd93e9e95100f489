// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
package import OBD2

/// A value of the vehicle that Home Assistant can show, with its title.
package struct VehicleValue: Hashable, Sendable {
    package let field: Field
    /// The value's name for people.
    let title: String
    /// Whether Home Assistant shows the value before a person enables it.
    let isEnabled: Bool

    /// The largest number of polled values that are all shown.
    ///
    /// If more are polled, only the main ones are shown at first, because a maker's list has hundreds of values.
    static let enabledLimit = 50

    /// Describes a value of the catalogue, or of the 12 V supply.
    ///
    /// - Parameter isListed: whether the value is one of a long list.
    init(_ field: Field, isListed: Bool = false) {
        let words = Words.parameter(field.name)
        self.init(field, title: words?.title, isListed: isListed && words?.isMain != true)
    }

    /// Describes the value of a custom parameter.
    ///
    /// - Parameter isListed: whether the value is one of a long list.
    package init(_ custom: CustomParameter, isListed: Bool = false) {
        self.init(custom.field, title: custom.title, isListed: isListed)
    }

    /// Describes the value of a derived parameter.
    package init(derived field: Field, title: String?) {
        self.init(field, title: title, isListed: false)
    }

    /// - Parameter title: the title that the user gave; nil for that of the shared words.
    private init(_ field: Field, title: String?, isListed: Bool) {
        self.field = field
        self.title = title ?? Words.title(of: field.name)
        let isDiagnostic = ParameterCategory(of: field.name) == .diagnosis
        self.isEnabled = field.role != nil || !(isListed || isDiagnostic)
    }

    /// Returns the values of the selected parameters, and those of the 12 V supply, which are always reported.
    ///
    /// - Parameters:
    ///   - custom: all custom parameters of the configuration.
    ///   - derived: the values of all derived parameters.
    package static func all(
        of keys: some Sequence<ParameterKey>,
        custom: [CustomParameter],
        derived: [VehicleValue] = []
    ) -> [VehicleValue] {
        let custom = Dictionary(custom.map { ($0.name, $0) }) { first, _ in first }
        // A parameter of the catalogue may have many values; another has one.
        let counts = keys.map { key in
            if case .pid(let pid) = key { Parameter.withPID(pid)?.fields.count ?? 0 } else { 1 }
        }
        let isLong = counts.reduce(0, +) > Self.enabledLimit
        return SupplyValue.allCases.map { VehicleValue($0.field) }
            + keys.flatMap { key -> [VehicleValue] in
                switch key {
                case .pid(let pid):
                    return Parameter.withPID(pid)?.fields.map { VehicleValue($0, isListed: isLong) } ?? []
                case .custom(let name):
                    return custom[name].map { [VehicleValue($0, isListed: isLong)] } ?? []
                case .derived(let name):
                    return derived.filter { $0.field.name == name }
                }
            }
    }
}
