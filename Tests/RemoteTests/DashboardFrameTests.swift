// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Remote
import Testing

@testable import Subscriber

@Suite("The frames of the dashboard, as text")
struct DashboardFrameTests {
    /// A size of a terminal.
    struct Size: Hashable, Sendable, CustomTestStringConvertible {
        let columns: Int
        let rows: Int

        var testDescription: String { "\(self.columns)x\(self.rows)" }
    }

    static let sizes = [(40, 15), (80, 24), (120, 40), (200, 60)].map { Size(columns: $0, rows: $1) }

    private static let frames: [DashboardVehicle: [String]] = [
        .driving: DrivingFrames.all, .parked: ParkedFrames.all, .electric: ElectricFrames.all,
        .faulty: FaultyFrames.all, .lost: LostFrames.all,
    ]

    private static func lines(_ vehicle: DashboardVehicle, _ size: Size, keys: String = "") throws -> [String] {
        var dashboard = try vehicle.dashboard(columns: size.columns, rows: size.rows)
        for key in keys.utf8 {
            _ = dashboard.type([key])
            _ = dashboard.frame(at: DashboardScene.now.monotonic, time: DashboardScene.date)
        }
        return dashboard.lines(at: DashboardScene.now)
    }

    @Test("Each vehicle has its golden frame at four sizes", arguments: DashboardVehicle.allCases)
    func golden(vehicle: DashboardVehicle) throws {
        let golden = try #require(Self.frames[vehicle])
        for (size, expected) in zip(Self.sizes, golden) {
            let lines = try Self.lines(vehicle, size)
            #expect(lines.count == size.rows && lines.allSatisfy { Cells.width($0) <= size.columns })
            #expect(DashboardScene.trimmed(lines).joined(separator: "\n") == expected, "\(size.testDescription)")
        }
    }

    @Test("Each part has its golden frame at 40 by 15, with the lamp above it")
    func parts() throws {
        for (key, expected) in zip(["1", "2", "3", "4", "5", "6"], PartFrames.all) {
            let lines = try Self.lines(.faulty, Self.sizes[0], keys: key)
            #expect(DashboardScene.trimmed(lines).joined(separator: "\n") == expected, "key \(key)")
        }
    }

    @Test("Whatever the size, the lamp and the number of codes are on the screen", arguments: sizes)
    func lamp(size: Size) throws {
        for vehicle in DashboardVehicle.allCases {
            for keys in ["", "1", "2", "3", "4", "5", "6"] {
                let lines = try Self.lines(vehicle, size, keys: keys)
                let words = vehicle == .faulty || vehicle == .lost ? "● on   2 codes" : "○ off   no codes"
                #expect(lines.contains { $0.contains("Lamp") && $0.contains(words) }, "\(vehicle) \(keys)")
            }
        }
    }

    @Test("After the broker's loss nothing is bright in any part at any size", arguments: sizes)
    func lost(size: Size) throws {
        for key in ["0", "1", "2", "3", "4", "5", "6"] {
            var dashboard = try DashboardVehicle.lost.dashboard(
                columns: size.columns,
                rows: size.rows,
                isColored: true
            )
            _ = dashboard.type(Array(key.utf8))
            let text = dashboard.lines(at: DashboardScene.now).dropLast().joined(separator: "\n")
            #expect(!text.contains("█") && !text.contains("▄"))
            for style: TextStyle in [.good, .accent] { #expect(!text.contains("\u{1B}[\(style.code)m"), "\(key)") }
        }
    }

    @Test("What does not fit says how much there is, and where")
    func more() throws {
        let lines = try Self.lines(.faulty, Self.sizes[1])
        #expect(lines.contains { $0.hasPrefix("and ") && $0.hasSuffix("more: key 5") })
        #expect(lines.contains { $0.hasPrefix("Values") && $0.contains(" of 13") })
    }

    @Test("The agent itself, or the broker, is named as the source")
    func source() {
        func head(_ source: LiveSource) -> String {
            let size = Dashboard.Size(columns: 80, rows: 24)
            let dashboard = Dashboard(fleetTopics, vehicle: "van", from: source, size: size, isColored: false)
            return dashboard.lines(at: DashboardScene.now)[0]
        }
        #expect(head(.agent).contains("from this machine's agent"))
        #expect(head(.broker("broker.example")).contains("from broker.example") && !head(.broker("")).contains("from"))
    }
}
