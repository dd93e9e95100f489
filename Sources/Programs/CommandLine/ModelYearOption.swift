// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import OBD2

/// The option that names a model year.
package struct ModelYearOption: ParsableArguments {
    @Option(name: .long, help: "The model year of the vehicle, such as 2023.")
    package var year: Int?

    package init() {}

    package func validate() throws {
        guard let year = self.year, !(ModelYear.range ~= year) else { return }
        throw ValidationError("--year \(year) is not \(ModelYear.expectation).")
    }
}
