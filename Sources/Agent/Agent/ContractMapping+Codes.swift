// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import Contract
package import ELM327
package import OBD2
package import Session

/// Codes, freeze frames, readiness and tests.
extension ContractMapping {
    func codes(_ reading: CodeReading, _ history: CodeHistory) -> CodesReport {
        let codes = reading.states.sorted { $0.key < $1.key }.flatMap { ecu, codes in
            codes.sorted { $0.key < $1.key }.map { code, states in
                var shown = CodesReport.Code(
                    code,
                    ecu: ecu.description,
                    states: states.map(Self.state),
                    firstSeen: history.firstSeen(ecu, code, by: self.clock) ?? self.clock.timestamp(of: reading.time)
                )
                let severity = reading.severity(of: code, in: ecu)
                shown.severity = severity?.action.map(CodesReport.Severity.init)
                shown.severityClass = severity?.malfunctionClass
                shown.freezeFrame = Self.frame(reading.freezeFrames[ecu], of: code)
                return shown
            }
        }
        func states(_ isMeant: (CodeList?) -> Bool) -> [CodesReport.State] {
            CodeState.allCases.filter { isMeant(reading.lists[$0]) }.map(Self.state)
        }
        return CodesReport(
            time: self.clock.timestamp(of: reading.time),
            known: reading.isKnown,
            mil: reading.mil,
            codes: codes,
            unread: states { $0?.isOpen ?? true },
            notSupported: states { $0 == .notSupported },
            freezeFrames: Dictionary(
                reading.freezeFrames.map { ($0.key.description, Self.status($0.value)) },
                uniquingKeysWith: { first, _ in first }
            )
        )
    }

    private static func frame(_ reading: FreezeFrameReading?, of code: TroubleCode) -> CodesReport.FreezeFrame? {
        guard case .stored(let cause, let values, let unread) = reading, code == .j2012(cause) else { return nil }
        return CodesReport.FreezeFrame(
            values: Dictionary(
                values.map { ($0.field.name, ShownValue($0, imperial: false)) },
                uniquingKeysWith: { first, _ in first }
            ),
            unread: unread.map { ParameterKey.pid($0).name }
        )
    }

    private static func status(_ reading: FreezeFrameReading) -> CodesReport.FrameStatus {
        switch reading {
        case .none: CodesReport.FrameStatus(.none)
        case .stored(let code, _, _): CodesReport.FrameStatus(.stored, code: code.description)
        case .notSupported: CodesReport.FrameStatus(.notSupported)
        case .failed: CodesReport.FrameStatus(.unread)
        }
    }

    /// Returns the payload of `monitors`; nil if no ECU reports its readiness.
    ///
    /// - Parameter last: the last reading that a command requested.
    package func monitors(_ monitors: [ECUAddress: MonitorStatus], _ last: MonitorReading? = nil) -> MonitorsReport? {
        var report = MonitorsReport(Self.byName(monitors), time: self.clock.timestamp)
        guard let last else { return report }
        let time = self.clock.timestamp(of: last.time)
        report?.cycle = MonitorsReport.Cycle(Self.byName(last.inCycle), time: time)
        report?.tests = TestsReport(
            time: time,
            ecus: Self.byName(last.tests).mapValues(Self.state),
            results: last.tests.sorted { $0.key < $1.key }.flatMap { Self.results($1, of: $0.description) }
        )
        return report
    }

    private static func byName<Value>(_ ecus: [ECUAddress: Value]) -> [String: Value] {
        Dictionary(ecus.map { ($0.key.description, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    private static func state(_ reading: TestReading) -> TestsReport.State {
        switch reading {
        case .read(_, let unread): unread == 0 ? .read : .incomplete
        case .notSupported: .notSupported
        case .failed: .unread
        }
    }

    private static func results(_ reading: TestReading, of ecu: String) -> [TestsReport.Result] {
        guard case .read(let results, _) = reading else { return [] }
        return results.map { result in
            switch result {
            case .monitor(let test): TestsReport.Result(test, ecu: ecu)
            case .component(let test): TestsReport.Result(test, ecu: ecu)
            case .oxygenSensor(let test, let sensor): TestsReport.Result(test, sensor: sensor, ecu: ecu)
            }
        }
    }
}
