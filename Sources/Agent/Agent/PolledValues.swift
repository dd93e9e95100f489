// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Session
import Uplink

/// The values that are polled from the connected vehicle, and those that it has reported.
struct PolledValues: Sendable {
    private(set) var selection: Selection
    /// The parameters that are polled during a charge, selected or not.
    private(set) var charging: [ParameterKey]
    /// The names of the values that are polled always, and of those that are polled during a charge only.
    private var names: (selected: Set<String>, charging: Set<String>) = ([], [])
    /// Whether the parameters of a charge are polled in place of the selected ones.
    private var isCharged = false
    private let chargingInterval: Duration
    private var pace = SelectionPace()
    /// The names of the values that the vehicle has reported at least once.
    private var reported: Set<String> = []
    /// The engine speed at its last reading, in 1/min.
    private var engineSpeed = 0.0

    init(_ selection: Selection, charging: [ParameterKey], chargingInterval: Duration) {
        self.selection = selection
        self.charging = charging
        self.chargingInterval = chargingInterval
        self.selectionChanged(to: selection, charging: charging)
    }

    /// The polled parameters.
    var keys: Set<ParameterKey> { Set(self.selection.intervals.keys).union(self.charging) }

    /// The poll interval of the parameters that are polled in place of the selected ones; zero if the selected ones are.
    var unselectedInterval: Duration { self.isCharged ? self.chargingInterval : .zero }

    /// The names of the polled values and of the 12 V supply, which is always published.
    var publishedNames: Set<String> {
        self.names.selected.union(self.names.charging).union(SupplyValue.allCases.map(\.rawValue))
    }

    /// Returns the names of the values that parameters have.
    static func names(of keys: Set<ParameterKey>) -> Set<String> {
        Set(keys.flatMap(\.valueNames))
    }

    /// Another selection is polled.
    mutating func selectionChanged(to selection: Selection, charging: [ParameterKey]) {
        (self.selection, self.charging) = (selection, charging)
        self.names.selected = Self.names(of: Set(selection.intervals.keys))
        self.names.charging = Self.names(of: Set(charging)).subtracting(self.names.selected)
        self.pace.selectionChanged(to: selection)
    }

    /// Only these selected parameters are polled more often than that.
    mutating func pollingChanged(hastened: Set<ParameterKey>) { self.pace.pollingChanged(hastened: hastened) }

    /// The parameters of a charge are polled from now on, or the selected ones.
    mutating func pollingChanged(isCharged: Bool) { self.isCharged = isCharged }

    /// Another vehicle's values follow.
    mutating func vehicleChanged() { self.reported = [] }

    /// Another session begins.
    mutating func sessionBegan() { self.pace.restart() }

    /// Returns the samples that are selected now, as often as they are.
    ///
    /// Trips and limits may need others, which are not published.
    mutating func polled(_ samples: [Sample]) -> [Sample] {
        samples.filter { sample in
            let name = sample.value.field.name
            let isWanted = self.names.selected.contains(name) || self.isCharged && self.names.charging.contains(name)
            return isWanted && self.pace.passes(sample)
        }
    }

    /// Returns the names that the primary ECU reports for the first time in these samples.
    mutating func firstNames(in samples: [Uplink.Sample]) -> [String] {
        samples.filter(\.isPrimary).map(\.name).filter { self.reported.insert($0).inserted }
    }

    /// Returns whether the engine stopped in these samples.
    mutating func engineStops(in samples: [Sample]) -> Bool {
        var hasStopped = false
        for sample in samples where sample.value.field.name == "engine_speed" {
            guard case .number(let speed) = sample.value.value else { continue }
            if speed == 0, self.engineSpeed > 0 { hasStopped = true }
            self.engineSpeed = speed
        }
        return hasStopped
    }
}
