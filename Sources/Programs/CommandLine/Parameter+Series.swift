// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

extension Parameter {
    /// Returns the metric unit of a series of samples; nil if it has none, or the catalog does not have the series.
    package static func symbol(ofSeries series: String) -> String? {
        let name = String(series.prefix { $0 != "/" })
        let supply = SupplyValue(rawValue: name)?.field
        return (supply ?? Parameter.named(name)?.fields.first { $0.name == name })?.symbol
    }
}
