// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import Configuration
import Drive
import EventLoop

/// Checks whether gpsd answers, and whether a receiver has a fix.
struct GPSDCheck {
    /// The address of gpsd.
    let address: String
    /// The release of gpsd; nil before its greeting.
    private var release: String?
    /// Whether a receiver has reported anything, with or without a fix.
    private var hasReceiver = false
    private(set) var hasFix = false

    init(_ address: String) {
        self.address = address
    }

    /// Returns the result for the gpsd of the configuration; nil if there is none.
    ///
    /// - Parameter limit: the longest time to connect, and the longest time to wait for a fix.
    static func result(_ gpsd: Configuration.Position.GPSD?, within limit: Duration = .seconds(3)) async -> CheckResult?
    {
        guard let gpsd else { return nil }
        var check = GPSDCheck("\(gpsd)")
        let clock = BootClock()
        do {
            let link = try await TCPLink.open(host: gpsd.host, port: gpsd.port, until: clock.now + limit)
            defer { link.close() }
            try await link.write(GPSDDialogue.watchRequest)
            var dialogue = GPSDDialogue(at: clock.now)
            let deadline = clock.now + limit
            while !check.hasFix, clock.now < deadline {
                guard case .bytes(let bytes) = try await link.read(until: deadline) else { break }
                for report in try dialogue.received(bytes, at: clock.now) { check.received(report) }
            }
        } catch GPSDFailure.notGPSD {
            let next = "correct [position] gpsd: another program has this port"
            return CheckResult("gpsd", .failed, "\(gpsd): \(GPSDFailure.notGPSD)", next: next)
        } catch {
            return CheckResult("gpsd", .failed, "\(gpsd): \(error)", next: Self.remedy)
        }
        return check.result
    }

    /// Takes over a report of gpsd.
    mutating func received(_ report: GPSDReport) {
        switch report {
        case .version(let release): self.release = release
        case .fix: (self.hasReceiver, self.hasFix) = (true, true)
        case .noFix: self.hasReceiver = true
        case .error, .other: break
        }
    }

    /// The result at the end of the wait.
    var result: CheckResult {
        guard let release = self.release else {
            return CheckResult("gpsd", .failed, "\(self.address): no greeting of gpsd", next: Self.remedy)
        }
        let text = "\(self.address), release \(Printable.text(release))"
        if self.hasFix { return CheckResult("gpsd", .ok, "\(text); a receiver has a fix") }
        if self.hasReceiver {
            let next = "give the receiver a view of the sky; the first fix takes some minutes. gpspipe -w -n 5 shows it"
            return CheckResult("gpsd", .warning, "\(text); no fix yet", next: next)
        }
        return CheckResult("gpsd", .warning, "\(text); no receiver has reported yet", next: Self.remedy)
    }

    private static let remedy = "systemctl status gpsd; gpspipe -w -n 5"
}
