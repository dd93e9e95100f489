// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import ELM327
import OBD2
import Session
import Timing
import Uplink

/// From what a session reads to what the contract shows.
struct ContractMapping: Sendable {
    let clock: any CalendarClock
    let isImperial: Bool

    private var quality: Quality { self.clock.quality == .synchronised ? .good : .unsynchronised }

    /// A sample for both planes.
    func sample(_ sample: Sample, primary: ECUAddress?) -> Uplink.Sample {
        let ecu = sample.ecu.description
        let name = sample.value.field.name
        let isPrimary = sample.ecu == primary
        return Uplink.Sample(
            path: .parameter(name, ecu: isPrimary ? nil : ecu),
            report: ParameterReport(
                sample.value,
                imperial: self.isImperial,
                time: self.clock.timestamp(of: sample.time),
                ecu: ecu,
                quality: self.quality
            ),
            record: Self.steps(of: sample.value).map { scale, steps in
                TelemetryBatcher.Sample(
                    series: isPrimary ? name : "\(name)/\(ecu)",
                    ecu: ecu,
                    scale: scale,
                    steps: steps,
                    time: sample.time
                )
            }
        )
    }

    /// A value as whole steps of its field's resolution; nil where it is no number.
    private static func steps(of value: FieldValue) -> (scale: Double, steps: Int64)? {
        switch value.value {
        case .number(let number):
            let scale = Double(value.field.multiplier) / Double(value.field.divisor)
            return Int64(exactly: (number / scale).rounded()).map { (scale, $0) }
        case .flag(let isOn): return (1, isOn ? 1 : 0)
        case .code(let code, _): return (1, Int64(code))
        case .text, .names: return nil
        }
    }

    func codes(_ reading: CodeReading, _ history: CodeHistory) -> CodesReport {
        let codes = reading.states.sorted { $0.key < $1.key }.flatMap { ecu, codes in
            codes.sorted { $0.key < $1.key }.map { code, states in
                CodesReport.Code(
                    code: code.description,
                    ecu: ecu.description,
                    states: states.map(Self.state),
                    firstSeen: self.clock.timestamp(of: history.firstSeen(ecu, code) ?? reading.time)
                )
            }
        }
        return CodesReport(
            time: self.clock.timestamp(of: reading.time),
            known: reading.isKnown,
            mil: reading.monitors.isEmpty ? nil : reading.monitors.values.contains(where: \.mil),
            codes: codes,
            unread: CodeState.allCases.filter { reading.lists[$0] == .failed || reading.lists[$0] == nil }.map(
                Self.state
            )
        )
    }

    static func state(_ state: CodeState) -> CodesReport.State {
        switch state {
        case .stored: .stored
        case .pending: .pending
        case .permanent: .permanent
        }
    }

    func monitors(_ monitors: [ECUAddress: MonitorStatus]) -> MonitorsReport? {
        MonitorStatus.merged(monitors.sorted { $0.key < $1.key }.map(\.value))
            .map { MonitorsReport($0, time: self.clock.timestamp) }
    }

    func vehicle(_ identity: VehicleIdentity, _ selection: Selection, unsupported: [PID]) -> VehicleReport {
        VehicleReport(
            time: self.clock.timestamp,
            vin: identity.vin?.description,
            protocol: identity.bus.title,
            ecus: identity.ecus.sorted { $0.key < $1.key }.map { ecu, known in
                VehicleReport.ECU(
                    ecu: ecu.description,
                    name: known.name.map { $0.acronym.isEmpty ? $0.name : "\($0.acronym)-\($0.name)" },
                    calibrationIDs: known.calibrationIDs,
                    calibrationVerificationNumbers: known.calibrationVerificationNumbers,
                    supported: known.supported.pids.filter { !$0.isBitmap }.map(Self.name(of:))
                )
            },
            selected: Self.intervals(selection),
            unsupported: unsupported.map(Self.name(of:))
        )
    }

    static func intervals(_ selection: Selection) -> [String: Double] {
        Dictionary(
            selection.intervals.map { (Self.name(of: $0.key), $0.value.seconds) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    static func name(of pid: PID) -> String {
        Parameter.withPID(pid)?.name ?? "01\(pid)"
    }
}
