// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2
import Session
import Store

/// The codes, the MIL and the test results of the connected vehicle, as they were read last.
struct VehicleDiagnostics: Sendable {
    private let mapping: ContractMapping
    /// The id of the machine's boot.
    private let boot: String
    private var history: CodeHistory
    private var mil: Bool?
    /// The last reading of the monitors' tests, which only a command requests.
    private var tests: MonitorReading?

    init(_ mapping: ContractMapping, boot: String) {
        self.mapping = mapping
        self.boot = boot
        self.history = CodeHistory(boot: boot)
    }

    /// Another vehicle's codes follow.
    mutating func vehicleChanged() { self = VehicleDiagnostics(self.mapping, boot: self.boot) }

    /// Takes over what is stored of the codes of the vehicle whose topics are in use, before the first reading.
    mutating func restore(_ body: [UInt8]?) {
        let memory = body.map { CodeMemory(JSON(payload: $0), boot: self.boot) } ?? CodeMemory()
        self.history = CodeHistory(boot: self.boot, memory: memory)
    }

    /// Time has passed.
    ///
    /// - Returns: the state to store; nil if it has not changed.
    mutating func timePassed() -> StoredState? {
        let before = self.history.memory
        self.history.timePassed(by: self.mapping.clock)
        return self.state(after: before)
    }

    /// Returns the state to store; nil if the memory has not changed.
    private func state(after before: CodeMemory) -> StoredState? {
        let memory = self.history.memory
        return memory == before ? nil : StoredState(.codes, Array(memory.json.text.utf8))
    }

    /// The codes were read.
    ///
    /// - Returns: the payload of `codes`, the events to record in order, and the state to store, if it has changed.
    mutating func codesRead(
        _ reading: CodeReading
    ) -> (report: CodesReport, events: [AgentEvent], state: StoredState?) {
        let before = self.history.memory
        var events = self.history.update(reading).map(Self.event)
        // What an earlier process saw last, and is gone since then, is news too.
        let told = events.map { [$0.ecu, $0.code] }
        events += before.gone(in: self.history.memory).filter { !told.contains([$0.ecu, $0.code]) }.map(Self.event)
        self.history.timePassed(by: self.mapping.clock)
        let state = self.state(after: before)
        let report = self.report(of: reading)
        if let mil = report.mil {
            if let before = self.mil, before != mil { events.append(AgentEvent(mil ? .milOn : .milOff)) }
            self.mil = mil
        }
        return (report, events, state)
    }

    /// The tests of the monitors were read.
    mutating func testsRead(_ reading: MonitorReading) { self.tests = reading }

    /// Returns the payload of `codes`.
    func report(of reading: CodeReading) -> CodesReport { self.mapping.codes(reading, self.history) }

    /// Returns the payload of `monitors`, with the last test results; nil if no ECU reports its readiness.
    func report(of monitors: [ECUAddress: MonitorStatus]) -> MonitorsReport? {
        self.mapping.monitors(monitors, self.tests)
    }

    private static func event(of gone: CodeMemory.Gone) -> AgentEvent {
        var event = AgentEvent(.codeGone)
        (event.code, event.ecu) = (gone.code, gone.ecu)
        event.description = TroubleCode(gone.code)?.explanation
        event.states = gone.states.map(ContractMapping.state)
        return event
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
