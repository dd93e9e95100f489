// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import OBD2

// The polled parameters.
extension SessionAgenda {
    /// Polls another selection from now on.
    package mutating func select(_ selection: Selection) {
        self.selection = selection
        self.applySelection()
    }

    /// The selected parameters that are not polled because the vehicle does not support or does not answer them.
    package var unsupported: [ParameterKey] {
        let dead = self.schedule.dead
        return self.selection.intervals.keys.filter { key in
            self.item(for: key).map { dead.contains($0) } ?? true
        }.sorted()
    }

    /// The parameters that this vehicle supports.
    package var pollable: Set<ParameterKey> {
        let keys = Parameter.catalogue.filter { !$0.pid.isBitmap }.map { ParameterKey.pid($0.pid) }
        return Set((keys + self.custom.parameters.keys.map(ParameterKey.custom)).filter { self.item(for: $0) != nil })
    }

    /// Returns the item to poll for a parameter; nil if this vehicle does not support it.
    func item(for key: ParameterKey) -> PollItem? {
        switch key {
        case .pid where self.identity.dialect == .j1939: ParameterGroup.named(key.name).map { .group($0.pgn) }
        case .pid(let pid): self.identity.supports(pid) ? .pid(pid) : nil
        case .custom(let name): self.custom.request(for: name, on: self.identity.bus).map { .custom($0) }
        }
    }

    mutating func applySelection() {
        var intervals: [PollItem: Duration] = [:]
        for (key, interval) in (self.short ?? self.selection).intervals {
            guard let item = self.item(for: key) else { continue }
            intervals[item] = min(interval, intervals[item] ?? interval)
        }
        self.schedule.select(intervals)
        self.signs = self.supportedSigns()
        self.batch = []
    }
}
