// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// A value of the vehicle that Home Assistant can show, with its title.
package struct VehicleValue: Hashable, Sendable {
    package let field: Field
    /// The value's name for people.
    let title: String

    /// Describes a value of a parameter of the catalogue.
    package init(_ field: Field, of parameter: Parameter) {
        self.field = field
        self.title = parameter.fields.count == 1 ? parameter.title : EntityName.phrase(field.name)
    }

    /// Describes the value of a custom parameter.
    package init(_ custom: CustomParameter) {
        self.field = custom.field
        self.title = custom.title ?? EntityName.phrase(custom.name)
    }

    /// Describes a value of the 12 V supply, which the adapter measures.
    init(_ supply: SupplyValue) {
        self.field = supply.field
        self.title = supply.title
    }

    /// Returns the values of the selected parameters, and those of the 12 V supply, which are always reported.
    ///
    /// - Parameter custom: all custom parameters of the configuration.
    package static func all(of keys: some Sequence<ParameterKey>, custom: [CustomParameter]) -> [VehicleValue] {
        SupplyValue.allCases.map { VehicleValue($0) }
            + keys.flatMap { key -> [VehicleValue] in
                switch key {
                case .pid(let pid):
                    return Parameter.withPID(pid).map { parameter in
                        parameter.fields.map { VehicleValue($0, of: parameter) }
                    } ?? []
                case .custom(let name):
                    return custom.filter { $0.name == name }.map { VehicleValue($0) }
                }
            }
    }
}
