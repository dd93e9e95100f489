// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// The facts about the vehicle that Home Assistant shows on the page of its device.
package struct DeviceFacts: Hashable, Sendable {
    /// The makes that the VIN may stand for; nil if it is unknown.
    let manufacturer: String?
    /// The detected model, or else the model year; nil if neither is known.
    let model: String?

    /// - Parameters:
    ///   - vin: nil if it could not be read.
    ///   - model: the make and the model of the detected signal set, as in `Kia EV6`; nil without one.
    ///   - modelYear: the model year; nil if it is unknown.
    package init(vin: VIN? = nil, model: String? = nil, modelYear: Int? = nil) {
        let makes = vin?.makes ?? []
        self.manufacturer = makes.isEmpty ? nil : makes.joined(separator: ", ")
        let make = makes.first { model?.hasPrefix("\($0) ") == true }
        let name = make.map { make in String(model?.dropFirst(make.count + 1) ?? "") } ?? model
        switch (name, modelYear) {
        case (.some(let name), .some(let year)): self.model = "\(name) (\(year))"
        case (.some(let name), nil): self.model = name
        case (nil, .some(let year)): self.model = "Model year \(year)"
        case (nil, nil): self.model = nil
        }
    }
}
