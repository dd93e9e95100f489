// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

extension KnownNames {
    /// The largest number of custom parameters among which the name that was probably meant is looked up.
    private static let searchLimit = 500

    /// Returns the parameter of a name in the arguments of a command.
    func key(_ name: String, at place: String, _ arguments: JSONReader) throws(JSONError) -> ParameterKey {
        if self.custom.contains(name) { return .custom(name) }
        if self.derived.contains(name) { return .derived(name) }
        if let parameter = Parameter.named(name) { return .pid(parameter.pid) }
        // A stranger's mistake must not cost much time, so a maker's long list is not searched.
        let custom = self.custom.count <= Self.searchLimit ? self.custom.sorted() : []
        let nearest = ParameterName.suggestion(for: name, others: custom + self.derived.sorted())
        let advice =
            nearest ?? "a name of obd-agent parameters list; on the vehicle's machine, parameters list --custom"
        throw arguments.problem(place, "\(JSON.string(name.prefix(bytes: 64)).text) is no parameter. Try: \(advice)")
    }
}
