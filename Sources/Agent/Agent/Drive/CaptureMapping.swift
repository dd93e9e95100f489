// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Drive
import ELM327
import OBD2
import Session
import Uplink

extension CaptureReading {
    /// Creates the reading of a sample; nil if its value is not a number.
    init?(_ sample: Sample, primary: ECUAddress?) {
        let (scale, steps) = ContractMapping.steps(of: sample.value)
        guard let steps else { return nil }
        let field = sample.value.field
        self.init(
            CaptureSource(
                field.name,
                ecu: sample.ecu.description,
                isPrimary: sample.isAddressed || sample.ecu == primary,
                scale: scale,
                role: field.role,
                unit: field.symbol
            ),
            steps: steps,
            at: sample.time
        )
    }

    /// Creates the reading of a value that the agent has computed; nil if it is not a number.
    init?(_ sample: Uplink.Sample) {
        guard let steps = sample.steps else { return nil }
        self.init(
            CaptureSource(
                sample.name,
                ecu: sample.report.ecu,
                isPrimary: sample.isPrimary,
                scale: sample.scale,
                unit: sample.metric.unit
            ),
            steps: steps,
            at: sample.time
        )
    }
}

extension AgentEvent {
    /// The largest size of the series in a record, in bytes; a record has at most 64 KiB with all the rest.
    private static let seriesLimit = 60_000

    init(_ capture: Capture) {
        self.init(.capture)
        let fitted = capture.series.fitted(to: Self.seriesLimit)
        var report = CaptureReport(
            rule: capture.rule,
            trigger: .codeAppeared,
            before: capture.before.seconds,
            after: Double(capture.after.milliseconds) / 1000,
            ended: CaptureReport.Ending(capture.ending),
            series: Dictionary(fitted.map { ($0.source.series, Telemetry.Series($0)) }) { first, _ in first }
        )
        let thinned = fitted.filter { $0.step > 1 }.map { ($0.source.series, $0.step) }
        if !thinned.isEmpty { report.thinned = Dictionary(thinned) { first, _ in first } }
        switch capture.cause {
        case .codeAppeared(let code, let ecu): (report.code, report.ecu) = (code, ecu)
        case .milOn: report.trigger = .milOn
        case .condition(let text): (report.trigger, report.condition) = (.condition, text)
        case .harshBraking: report.trigger = .harshBraking
        case .engineStall: report.trigger = .engineStall
        case .command(let id, let issuer):
            (report.trigger, report.commandID, report.issuer) = (.command, id, issuer)
        }
        self.capture = report
    }
}

extension Telemetry.Series {
    /// Creates the differences of a series; the first time counts from the moment of the capture.
    fileprivate init(_ series: CaptureSeries) {
        func differences(_ numbers: [Int64]) -> [Int64] {
            zip(numbers, [0] + numbers.dropLast()).map { $0 &- $1 }
        }
        self.init(
            ecu: series.source.ecu,
            scale: series.source.scale,
            dt: differences(series.milliseconds),
            dv: differences(series.steps)
        )
    }
}

extension CaptureReport.Ending {
    fileprivate init(_ ending: Capture.Ending) {
        self =
            switch ending {
            case .complete: .complete
            case .linkLost: .linkLost
            case .parked: .parked
            case .vehicleChanged: .vehicleChanged
            case .stopped: .stopped
            case .interrupted: .interrupted
            }
    }
}
