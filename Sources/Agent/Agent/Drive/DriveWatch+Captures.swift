// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Contract
import Drive
import Store

// Captures: everything that was read around a moment.
extension DriveWatch {
    /// Adds the number of the UTC day to a time.
    func instant(_ now: MonotonicTime) -> CaptureWatch.Instant {
        let isDateKnown = self.clock.quality == .synchronised
        return .init(now, date: isDateKnown ? self.clock.timestamp.milliseconds / (24 * 3600 * 1000) : nil)
    }

    mutating func capture(_ readings: [CaptureReading]) -> [DriveAction] {
        guard let now = readings.last?.time else { return [] }
        return self.captures.readingsReceived(readings, at: self.instant(now)).map(DriveAction.init)
    }

    mutating func capture(_ events: [AgentEvent], at now: MonotonicTime) -> [DriveAction] {
        let causes = events.compactMap { event -> Capture.Cause? in
            switch event.event {
            case .codeAppeared: .codeAppeared(event.code ?? "", ecu: event.ecu ?? "")
            case .milOn: .milOn
            default: nil
            }
        }
        return self.captures.codesChanged(causes, at: self.instant(now)).map(DriveAction.init)
    }

    /// A command asks for a capture now, or sets a rule for a time.
    mutating func captureRequested(
        _ order: CaptureOrder,
        by id: String,
        issuer: String?,
        at now: MonotonicTime
    ) throws(CaptureWatch.Refusal) -> [DriveAction] {
        switch order {
        case .now(let after, let parameters):
            return try self.captures.requested(
                by: id,
                issuer: issuer,
                after: after,
                parameters: parameters,
                at: self.instant(now)
            ).map(DriveAction.init)
        case .rule(let rule, let duration):
            try self.captures.ruleSet(rule, for: duration, at: self.instant(now))
            return []
        }
    }
}

extension DriveAction {
    init(_ action: CaptureWatch.Action) {
        self =
            switch action {
            case .keep(let capture): .keep(AgentEvent(capture), at: capture.moment)
            case .complete(let capture): .complete(AgentEvent(capture), at: capture.moment)
            case .hasten(let keys, let interval, let duration): .hasten(keys, every: interval, for: duration)
            case .noteSkipped(let rule, let running): .noteSkippedCapture(rule: rule, running: running)
            case .remember(let counts): .rememberCaptures(DayCaptures(date: counts.date, byRule: counts.byRule))
            }
    }
}
