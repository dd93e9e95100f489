// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2
import Session

/// The codes, the MIL and the test results of the connected vehicle, as they were read last.
struct VehicleDiagnostics: Sendable {
    private let mapping: ContractMapping
    private var history = CodeHistory()
    private var mil: Bool?
    /// The last reading of the monitors' tests, which only a command requests.
    private var tests: MonitorReading?

    init(_ mapping: ContractMapping) { self.mapping = mapping }

    /// Another vehicle's codes follow.
    mutating func vehicleChanged() { self = VehicleDiagnostics(self.mapping) }

    /// The codes were read.
    ///
    /// - Returns: the payload of `codes`, and the events to record in order.
    mutating func codesRead(_ reading: CodeReading) -> (report: CodesReport, events: [AgentEvent]) {
        var events = self.history.update(reading).map(Self.event)
        let report = self.report(of: reading)
        if let mil = report.mil {
            if let before = self.mil, before != mil { events.append(AgentEvent(mil ? .milOn : .milOff)) }
            self.mil = mil
        }
        return (report, events)
    }

    /// The tests of the monitors were read.
    mutating func testsRead(_ reading: MonitorReading) { self.tests = reading }

    /// Returns the payload of `codes`.
    func report(of reading: CodeReading) -> CodesReport { self.mapping.codes(reading, self.history) }

    /// Returns the payload of `monitors`, with the last test results; nil if no ECU reports its readiness.
    func report(of monitors: [ECUAddress: MonitorStatus]) -> MonitorsReport? {
        self.mapping.monitors(monitors, self.tests)
    }

    private static func event(of change: CodeHistory.Change) -> AgentEvent {
        let (kind, key, states): (AgentEvent.Kind, CodeHistory.Key, [CodeState]) =
            switch change {
            case .found(let key, let states): (.codeFound, key, states)
            case .appeared(let key, let states): (.codeAppeared, key, states)
            case .gone(let key, let states): (.codeGone, key, states)
            }
        var event = AgentEvent(kind)
        (event.code, event.ecu) = (key.code.description, key.ecu.description)
        event.description = key.code.explanation
        event.states = states.map(ContractMapping.state)
        return event
    }
}
