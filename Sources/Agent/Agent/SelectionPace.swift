// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Session

/// Passes each value on as often as it is selected, although trips and limits may need it more often.
struct SelectionPace: Sendable {
    private struct Series: Hashable, Sendable {
        var name: String
        var ecu: ECUAddress
    }

    private struct State {
        /// The time of the last sample that was passed on.
        var last: MonotonicTime
        /// The time from which the next one is due.
        var due: MonotonicTime
    }

    /// The share of an interval by which a sample may come too early: polls are not even.
    private static let tolerance = 0.05
    /// The share of an interval after which a sample is passed on in any case, as polls may be a little too frequent.
    private static let enough = 0.9

    private var intervals: [String: Duration] = [:]
    /// The names of the values that are polled more often than they are selected; no other value is thinned.
    private var hastened: Set<String> = []
    /// As bounded as the catalogue and the ECUs.
    private var states: [Series: State] = [:]

    /// Another selection is polled.
    mutating func selectionChanged(to selection: Selection) {
        self.intervals = [:]
        for (key, interval) in selection.intervals {
            for name in key.valueNames { self.intervals[name] = min(interval, self.intervals[name] ?? interval) }
        }
        self.restart()
    }

    /// Only these parameters are polled more often than they are selected.
    mutating func pollingChanged(hastened: Set<ParameterKey>) { self.hastened = Set(hastened.flatMap(\.valueNames)) }

    /// Passes the next sample of each value on, because another session or another vehicle begins.
    mutating func restart() { self.states = [:] }

    /// Returns whether a sample is to be passed on.
    mutating func passes(_ sample: Sample) -> Bool {
        let name = sample.value.field.name
        guard self.hastened.contains(name), let interval = self.intervals[name] else { return true }
        let series = Series(name: name, ecu: sample.ecu)
        guard let state = self.states[series] else {
            self.states[series] = State(last: sample.time, due: sample.time + interval)
            return true
        }
        guard sample.time >= state.due - interval * Self.tolerance || sample.time - state.last >= interval * Self.enough
        else { return false }
        // The mean rate stays the selected one; at most two samples are made up for.
        self.states[series] = State(last: sample.time, due: max(state.due, sample.time - interval * 2) + interval)
        return true
    }
}
