// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML


extension ConfigurationReader {
    mutating func parking() -> Configuration.Parking {
        .init(
            after: self.seconds(.parkingAfterSeconds, in: 30...86_400) ?? .seconds(300),
            look: self.seconds(.parkingLookSeconds, in: 10...3600) ?? .seconds(45),
            probesPerHour: self.count(.parkingProbesPerHour, in: 0...12) ?? 2,
            probesPerNight: self.count(.parkingProbesPerNight, in: 0...60) ?? 4,
            quiet: self.quietHours(),
            minimumVoltage: self.volts(.parkingMinimumVoltage, in: 6...60, zeroIsNone: true) ?? 12,
            voltageOffset: self.volts(.parkingVoltageOffset, in: -2...2) ?? 0,
            sleepsAdapter: self.flag(.parkingSleepAdapter) ?? true
        )
    }

    mutating func power() -> Configuration.Power {
        let key = Key.powerShutdownAfterParkedSeconds
        if case .integer(0) = self.found(key) { return .init(shutdownAfter: nil) }
        return .init(shutdownAfter: self.seconds(key, in: 60...604_800))
    }

    private mutating func seconds(_ key: Key, in range: ClosedRange<Double>) -> Duration? {
        self.found(key).flatMap { self.seconds($0, at: key.path, in: range) }
    }

    /// Empty is never; what is missing is from ten to six.
    private mutating func quietHours() -> QuietHours? {
        switch self.found(.parkingQuiet) {
        case nil: return QuietHours("22:00-06:00")
        case .text(""): return nil
        case .text(let text):
            if let hours = QuietHours(text) { return hours }
            self.report(Key.parkingQuiet.path, "\"\(text)\" is not a time of day such as \"22:00-06:00\"")
            return nil
        case .some(let value):
            self.report(Key.parkingQuiet.path, "expected a time of day such as \"22:00-06:00\", found \(value)")
            return nil
        }
    }

    private mutating func count(_ key: Key, in range: ClosedRange<Int64>) -> Int? {
        switch self.found(key) {
        case nil: return nil
        case .integer(let value) where range.contains(value): return Int(value)
        case .integer(let value):
            self.report(key.path, "\(value) is out of range; use \(range.lowerBound) to \(range.upperBound)")
            return nil
        case .some(let value):
            self.report(key.path, "expected a whole number, found \(value)")
            return nil
        }
    }

    private mutating func volts(_ key: Key, in range: ClosedRange<Double>, zeroIsNone: Bool = false) -> Double? {
        let volts: Double
        switch self.found(key) {
        case nil: return nil
        case .integer(let value): volts = Double(value)
        case .number(let value): volts = value
        case .some(let value):
            self.report(key.path, "expected a number of volts, found \(value)")
            return nil
        }
        if zeroIsNone, volts == 0 { return 0 }
        guard range.contains(volts) else {
            let advice = zeroIsNone ? "0 for none, or " : ""
            self.report(
                key.path,
                "\(volts) V is out of range; use \(advice)\(range.lowerBound) to \(range.upperBound)"
            )
            return nil
        }
        return volts
    }
}
