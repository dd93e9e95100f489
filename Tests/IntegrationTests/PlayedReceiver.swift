// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Glibc
import TestSupport

/// A real gpsd with a receiver that gpsfake plays: NMEA 0183 as a receiver sends it, at a rate of our own.
struct PlayedReceiver: Sendable {
    /// The output of the receiver in one second.
    struct Epoch: Sendable {
        /// The place; nil without a fix.
        var place: (latitude: Double, longitude: Double)?
        /// The speed in m/s.
        var speed = 0.0
        /// The heading in degrees clockwise from north.
        var heading = 0.0
    }

    /// The port of gpsd on 127.0.0.1.
    let port: UInt16

    /// Runs `body` beside a gpsd that plays a drive once.
    ///
    /// - Parameters:
    ///   - date: the date of the first epoch, by the satellites.
    ///   - pause: the time between two sentences in seconds; an epoch has three.
    static func play(
        _ epochs: [Epoch],
        from date: Timestamp,
        pause: Double,
        _ body: (PlayedReceiver) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let text = epochs.enumerated().map { second, epoch in
            Self.sentences(epoch, at: date + .seconds(second)).map(Self.checked).joined()
        }
        let log = try directory.write(text.joined(), to: "drive.nmea")
        // gpsfake starts gpsd itself, so the test only checks that gpsd is installed.
        _ = try Program("gpsd", debianPackage: "gpsd")
        let port = try Loopback.freePort()
        let program = try Program("gpsfake", debianPackage: "gpsd-clients")
        let arguments = ["-1", "-q", "-n", "-c", "\(pause)", "-P", "\(port)", log]
        let player = try ChildProcess(program, arguments)
        do {
            try await Loopback.awaitListener(on: port, isHopeless: { !player.isRunning })
            try await body(PlayedReceiver(port: port))
        } catch {
            try await Self.end(player)
            throw error
        }
        try await Self.end(player)
    }

    /// Ends gpsfake, which ends its gpsd.
    ///
    /// At the end of its log gpsfake has already ended gpsd, and some versions then react only to SIGKILL.
    private static func end(_ player: ChildProcess) async throws {
        player.signal()
        try await withThrowingTaskGroup { group in
            group.addTask {
                guard (try? await Task.sleep(for: .seconds(5))) != nil else { return }
                player.signal(SIGKILL)
            }
            _ = try await player.exitStatus()
            group.cancelAll()
        }
    }

    private static func sentences(_ epoch: Epoch, at date: Timestamp) -> [String] {
        // The description has the form 2026-11-21T10:00:00.000Z.
        let digits = date.description.filter(\.isNumber)
        let day = "\(digits.dropFirst(6).prefix(2))\(digits.dropFirst(4).prefix(2))\(digits.dropFirst(2).prefix(2))"
        let time = "\(digits.dropFirst(8).prefix(6)).\(digits.suffix(3))"
        guard let (latitude, longitude) = epoch.place else {
            return [
                "GPRMC,\(time),V,,,,,,,\(day),,,N", "GPGGA,\(time),,,,,0,00,,,M,,M,,", "GPGSA,A,1,,,,,,,,,,,,,,,",
            ]
        }
        let north = "\(Self.minutes(latitude, 2)),\(latitude < 0 ? "S" : "N")"
        let east = "\(Self.minutes(longitude, 3)),\(longitude < 0 ? "W" : "E")"
        let knots = (epoch.speed * 19.4384).rounded() / 10
        return [
            "GPRMC,\(time),A,\(north),\(east),\(knots),\(epoch.heading),\(day),,,A",
            "GPGGA,\(time),\(north),\(east),1,08,1.1,35.0,M,45.0,M,,",
            "GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.8,1.1,1.4",
        ]
    }

    /// Returns degrees and minutes in the form of NMEA 0183: `5230.1234`.
    private static func minutes(_ degrees: Double, _ width: Int) -> String {
        let units = Int((degrees.magnitude * 600_000).rounded())
        let (whole, rest) = units.quotientAndRemainder(dividingBy: 600_000)
        return padded(whole, width) + padded(rest / 10_000, 2) + "." + padded(rest % 10_000, 4)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func checked(_ sentence: String) -> String {
        let sum = sentence.utf8.reduce(UInt8(0)) { $0 ^ $1 }
        return "$\(sentence)*\(sum.hexadecimal)\r\n"
    }
}
