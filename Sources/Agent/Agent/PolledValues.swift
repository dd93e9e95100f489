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
    /// The names of the polled values.
    private var names: Set<String>
    private var pace = SelectionPace()
    /// The names of the values that the vehicle has reported at least once.
    private var reported: Set<String> = []
    /// The engine speed at its last reading, in 1/min.
    private var engineSpeed = 0.0

    init(_ selection: Selection, charging: [ParameterKey]) {
        self.selection = selection
        self.charging = charging
        self.names = []
        self.selectionChanged(to: selection, charging: charging)
    }

    /// The polled parameters.
    var keys: Set<ParameterKey> { Set(self.selection.intervals.keys).union(self.charging) }

    /// The names of the polled values and of the 12 V supply, which is always published.
    var publishedNames: Set<String> { self.names.union(SupplyValue.allCases.map(\.rawValue)) }

    /// Returns the names of the values that parameters have.
    static func names(of keys: Set<ParameterKey>) -> Set<String> {
        Set(keys.flatMap(\.valueNames))
    }

    /// Another selection is polled.
    mutating func selectionChanged(to selection: Selection, charging: [ParameterKey]) {
        (self.selection, self.charging) = (selection, charging)
        self.names = Self.names(of: self.keys)
        self.pace.selectionChanged(to: selection)
    }

    /// Only these selected parameters are polled more often than that.
    mutating func pollingChanged(hastened: Set<ParameterKey>) { self.pace.pollingChanged(hastened: hastened) }

    /// Another vehicle's values follow.
    mutating func vehicleChanged() { self.reported = [] }

    /// Another session begins.
    mutating func sessionBegan() { self.pace.restart() }

    /// Returns the samples that are selected now, as often as they are.
    mutating func polled(_ samples: [Sample]) -> [Sample] {
        samples.filter { self.names.contains($0.value.field.name) && self.pace.passes($0) }
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
