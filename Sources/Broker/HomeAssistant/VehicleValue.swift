// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// A value of the vehicle that may be shown: where it is known from, and how people call it.
package struct VehicleValue: Hashable, Sendable {
    package let field: Field
    /// Its name for people.
    let title: String

    /// A value inside a parameter of the catalogue.
    package init(_ field: Field, of parameter: Parameter) {
        self.field = field
        self.title = parameter.fields.count == 1 ? parameter.title : EntityName.phrase(field.name)
    }

    /// The value of a custom parameter.
    package init(_ custom: CustomParameter) {
        self.field = custom.field
        self.title = custom.title ?? EntityName.phrase(custom.name)
    }

    /// What the adapter tells of the vehicle's supply.
    init(_ supply: SupplyValue) {
        self.field = supply.field
        self.title = supply.title
    }

    /// All values of what is selected, and what is told whatever is.
    ///
    /// - Parameter custom: the custom parameters that there are.
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
