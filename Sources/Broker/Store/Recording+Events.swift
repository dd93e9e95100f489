// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import Contract

// The events of one kind.
extension Recording {
    /// Returns the events of a kind about a vehicle, in the order of their birth.
    package func events(_ kind: AgentEvent.Kind, of vehicle: String) throws(StoreError) -> [Entry] {
        guard let end = try self.last(.codes) else { return [] }
        var events: [Entry] = []
        var position = RecordID.zero
        while true {
            let page = try self.entries(.codes, of: vehicle, after: position, through: end)
            guard let last = page.last else { return events }
            events += page.filter { $0.isEvent(kind) }
            position = last.id
        }
    }
}

extension Recording.Entry {
    fileprivate func isEvent(_ kind: AgentEvent.Kind) -> Bool {
        (try? JSON(parsing: self.body, depthLimit: 32))?["event"].string == kind.rawValue
    }
}
