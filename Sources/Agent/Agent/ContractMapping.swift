// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract
import ELM327
package import OBD2
package import Session
import SocketCAN
import Uplink

/// The mapping from a session's readings to the contract's payloads.
package struct ContractMapping: Sendable {
    let clock: any CalendarClock
    let isImperial: Bool

    package init(clock: any CalendarClock, isImperial: Bool) {
        self.clock = clock
        self.isImperial = isImperial
    }

    var quality: Quality { self.clock.quality == .synchronised ? .good : .unsynchronised }

    /// Returns a sample for the live plane and for the records.
    func sample(_ sample: Sample, primary: ECUAddress?, deadBands: [String: Double] = [:]) -> Uplink.Sample {
        self.sample(
            sample.value,
            of: sample.ecu.description,
            isPrimary: sample.isAddressed || sample.ecu == primary,
            at: sample.time,
            deadBand: deadBands[sample.value.field.name]
        )
    }

    /// Returns a sample of a value from an ECU or another source.
    func sample(
        _ value: FieldValue,
        of source: String,
        isPrimary: Bool,
        at time: MonotonicTime,
        deadBand: Double? = nil
    ) -> Uplink.Sample {
        let (scale, steps) = Self.steps(of: value)
        return Uplink.Sample(
            name: value.field.name,
            isPrimary: isPrimary,
            report: ParameterReport(
                value,
                imperial: self.isImperial,
                time: self.clock.timestamp(of: time),
                ecu: source,
                quality: self.quality,
                deadBand: deadBand
            ),
            metric: ShownValue(value, imperial: false),
            scale: scale,
            steps: steps,
            time: time
        )
    }

    /// Returns a value as whole steps of its field's resolution; no steps if it is not a number.
    static func steps(of value: FieldValue) -> (scale: Double, steps: Int64?) {
        let scale = value.field.resolution
        return switch value.value {
        case .number(let number): (scale, Int64(exactly: (number / scale).rounded()))
        case .flag(let isOn): (1, isOn ? 1 : 0)
        case .code(let code, _): (1, Int64(code))
        case .text, .names: (1, nil)
        }
    }

    static func state(_ state: CodeState) -> CodesReport.State {
        switch state {
        case .stored: .stored
        case .pending: .pending
        case .permanent: .permanent
        }
    }

    static func capabilities(_ adapter: AdapterReport) -> [String: AgentStatus.Capability] {
        Dictionary(
            adapter.assessments.map { capability, assessment in
                switch assessment.verdict {
                case .works: (capability.rawValue, .works)
                case .ignored: (capability.rawValue, .ignored)
                case .refused: (capability.rawValue, .refused)
                case .notTested: (capability.rawValue, .notTested)
                }
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    static func controller(_ report: ControllerReport) -> AgentStatus.Controller {
        let state: AgentStatus.Controller.State? = report.details?.state.map {
            switch $0 {
            case .active: .active
            case .warning: .warning
            case .passive: .passive
            case .busOff: .busOff
            case .stopped: .stopped
            case .sleeping: .sleeping
            }
        }
        return AgentStatus.Controller(
            bitRate: report.details?.bitRate.map { Int($0) },
            state: state,
            transmitErrors: report.transmitErrors.map { Int($0) },
            receiveErrors: report.receiveErrors.map { Int($0) },
            errorFrames: report.errorFrames,
            busOffs: report.busOffs
        )
    }

    /// Returns the payload of `vehicle`.
    ///
    /// - Parameters:
    ///   - charging: the parameters that are polled during a charge, selected or not.
    ///   - lacked: the values of limits and capture rules that the vehicle does not have.
    ///   - custom: all custom parameters that are known of the vehicle.
    ///   - signalSet: the signal set of the vehicle's detected model; nil without one.
    ///   - showsVIN: whether the VIN may be published.
    package func vehicle(
        _ identity: VehicleIdentity,
        _ selection: Selection,
        charging: [ParameterKey] = [],
        unsupported: [ParameterKey],
        lacked: [String] = [],
        custom: [CustomParameter] = [],
        signalSet: VehicleReport.SignalSet? = nil,
        showsVIN: Bool = true
    ) -> VehicleReport {
        let unsupportedNames = unsupported.map(\.name)
        let polled = Set(selection.intervals.keys).union(charging).subtracting(unsupported)
        let values = Self.values(of: identity, polled, custom)
        var report = VehicleReport(
            time: self.clock.timestamp,
            vin: showsVIN ? identity.vin : nil,
            protocol: identity.bus.title,
            dialect: identity.dialect,
            ecus: identity.ecus.sorted { $0.key < $1.key }.map { ecu, known in
                var report = VehicleReport.ECU(
                    ecu: ecu.description,
                    name: known.name.map { $0.acronym.isEmpty ? $0.name : "\($0.acronym)-\($0.name)" },
                    calibrationIDs: known.calibrationIDs,
                    calibrationVerificationNumbers: known.calibrationVerificationNumbers,
                    supported: known.supported.pids.filter { !$0.isBitmap }.map(known.conventions.parameterName)
                )
                if showsVIN, identity.vins.count > 1 { report.vin = known.vin?.description }
                report.inUsePerformance = known.performance.map(InUsePerformanceReport.init)
                report.engineSerialNumber = known.engineSerialNumber
                report.typeApprovalNumber = known.typeApprovalNumber
                report.unread = known.unread.map(Self.name).sorted()
                return report
            },
            selected: selection.seconds,
            deadBands: selection.deadBands,
            selectionVersion: selection.version,
            unsupported: unsupportedNames + lacked.filter { !unsupportedNames.contains($0) },
            values: values
        )
        let names = Set(values.map(\.name))
        let titles = custom.filter { names.contains($0.name) }
            .compactMap { parameter in parameter.title.map { (parameter.name, $0.prefix(bytes: 128)) } }
        if !titles.isEmpty { report.titles = Dictionary(titles) { first, _ in first } }
        report.signalSet = signalSet
        return report
    }

    /// Returns the values of those polled parameters that an ECU supports; the answers show which custom ones one has.
    private static func values(
        of identity: VehicleIdentity,
        _ polled: Set<ParameterKey>,
        _ custom: [CustomParameter]
    ) -> [Field] {
        let custom = Dictionary(custom.map { ($0.name, $0.field) }) { first, _ in first }
        return polled.sorted().flatMap { key -> [Field] in
            switch key {
            case .pid(let pid): identity.supports(identity.pid(of: pid)) ? Parameter.withPID(pid)?.fields ?? [] : []
            case .custom(let name): custom[name].map { [$0] } ?? []
            // No derived parameter has a role.
            case .derived: []
            }
        }
    }

    /// Returns the name of an InfoType in `vehicle`.
    private static func name(_ type: InfoType) -> String {
        switch type {
        case .vin, .vinMessageCount: "vin"
        case .calibrationIDs, .calibrationIDMessageCount: "calibration_ids"
        case .calibrationVerificationNumbers, .calibrationVerificationNumberMessageCount:
            "calibration_verification_numbers"
        case .sparkPerformance, .sparkPerformanceMessageCount, .compressionPerformance: "in_use_performance"
        case .ecuName, .ecuNameMessageCount: "name"
        case .engineSerialNumber, .engineSerialNumberMessageCount: "engine_serial_number"
        case .typeApprovalNumber, .typeApprovalNumberMessageCount: "type_approval_number"
        case .supported: "supported_information"
        }
    }
}
