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

    /// All values of what can be selected.
    ///
    /// - Parameter custom: the custom parameters that there are.
    package static func all(of keys: some Sequence<ParameterKey>, custom: [CustomParameter]) -> [VehicleValue] {
        keys.flatMap { key in
            switch key {
            case .pid(let pid):
                Parameter.withPID(pid).map { parameter in
                    parameter.fields.map { VehicleValue($0, of: parameter) }
                } ?? []
            case .custom(let name):
                custom.filter { $0.name == name }.map { VehicleValue($0) }
            }
        }
    }
}
