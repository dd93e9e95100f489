// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// A value of the vehicle that Home Assistant can show, with its title.
package struct VehicleValue: Hashable, Sendable {
    package let field: Field
    /// The value's name for people.
    let title: String
    /// Whether Home Assistant shows the value before a person enables it.
    let isEnabled: Bool

    /// The largest number of polled custom parameters that are all shown.
    ///
    /// If more are polled, only those with a role are shown at first, because a maker's list has hundreds of values.
    static let customLimit = 50

    /// Describes a value of a parameter of the catalogue.
    package init(_ field: Field, of parameter: Parameter) {
        self.field = field
        self.title = parameter.fields.count == 1 ? parameter.title : NamePhrase.phrase(field.name)
        self.isEnabled = true
    }

    /// Describes the value of a custom parameter.
    ///
    /// - Parameter isListed: whether the parameter is one of a long list.
    package init(_ custom: CustomParameter, isListed: Bool = false) {
        self.field = custom.field
        self.title = custom.title ?? NamePhrase.phrase(custom.name)
        self.isEnabled = !isListed || custom.role != nil
    }

    /// Describes the value of a derived parameter.
    package init(derived field: Field, title: String?) {
        self.field = field
        self.title = title ?? NamePhrase.phrase(field.name)
        self.isEnabled = true
    }

    /// Describes a value of the 12 V supply, which the adapter measures.
    init(_ supply: SupplyValue) {
        self.field = supply.field
        self.title = supply.title
        self.isEnabled = true
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
        let keys = Array(keys)
        let isLong = keys.count { if case .custom = $0 { true } else { false } } > Self.customLimit
        let custom = Dictionary(custom.map { ($0.name, $0) }) { first, _ in first }
        return SupplyValue.allCases.map { VehicleValue($0) }
            + keys.flatMap { key -> [VehicleValue] in
                switch key {
                case .pid(let pid):
                    return Parameter.withPID(pid).map { parameter in
                        parameter.fields.map { VehicleValue($0, of: parameter) }
                    } ?? []
                case .custom(let name):
                    return custom[name].map { [VehicleValue($0, isListed: isLong)] } ?? []
                case .derived(let name):
                    return derived.filter { $0.field.name == name }
                }
            }
    }
}
