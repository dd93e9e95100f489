// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import ELM327
import EventLoop
import FoundationEssentials
import OBD2
import Session
import Simulator
import Testing

@Suite("A session with every quirk that adapters have", .timeLimit(.minutes(10)))
struct QuirkTests {
    /// The numbers of all quirks, or only the one that scripts/mutate selects.
    private static let numbers: [Int] = {
        let wanted = ProcessInfo.processInfo.environment["OBD_AGENT_QUIRK"].flatMap { Int($0) }
        return wanted.map { [$0] } ?? Quirk.all.map(\.number)
    }()

    @Test("A quirk costs time at most: nothing is told that is not so", arguments: Self.numbers)
    func quirk(number: Int) async throws {
        let scene = QuirkScene(number)
        switch scene.ending {
        case .everything: try await Self.check(scene, isWhole: true)
        case .something: try await Self.check(scene, isWhole: false)
        case .failure(let errors): try await Self.check(scene, endsWith: errors)
        case .elsewhere(let file, let test):
            let path = #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/" + file
            let text = try #require(TextFile.read(path), "\(path)")
            #expect(text.contains("@Test(\"\(test)"))
        case .nowhere: #expect(number == 54)
        }
    }

    private static func rig(_ scene: QuirkScene) -> Rig {
        let rig = Rig(
            scene.intervals,
            bus: scene.bus,
            vehicle: scene.vehicle,
            adapter: scene.adapter,
            unreachable: scene.unreachable
        )
        if scene.isParked { rig.log.vehicle.withVehicle { $0.isParked = true } }
        return rig
    }

    /// Checks that the session has sent none of the lines that harm adapters with certain quirks.
    private static func checkLines(_ lines: [String]) {
        #expect(!lines.contains(""), "a bare carriage return (quirk 8)")
        #expect(!lines.contains { $0.hasPrefix("ATTP") }, "quirk 11")
        #expect(!lines.contains("ATAT2"), "quirk 18")
        #expect(lines.allSatisfy { $0.utf8.count < 20 }, "quirk 49")
    }

    private static func check(_ scene: QuirkScene, endsWith errors: [SessionError]) async throws {
        let log = try await Self.rig(scene).run(for: scene.duration)
        Self.checkLines(log.lines)
        #expect(log.samples.isEmpty && log.identities.isEmpty && log.readings.isEmpty)
        let ends = log.states.compactMap { if case .waiting(let error, _) = $0 { error } else { nil } }
        #expect(!ends.isEmpty && Set(ends).isSubset(of: errors), "\(Set(ends))")
    }

    private static func check(_ scene: QuirkScene, isWhole: Bool) async throws {
        let log = try await Self.rig(scene).run(for: scene.duration)
        Self.checkLines(log.lines)
        #expect(log.wrong.isEmpty, "\(log.wrong.prefix(3))")
        let connections = log.states.count { if case .connected = $0 { true } else { false } }
        #expect(scene.connections.contains(connections), "\(connections) sessions: \(log.states)")
        // All selected parameters are still read at the end.
        let addresses = QuirkScene.addresses(on: scene.vehicle.bus)
        let recent = log.samples.filter { $0.time.sinceBoot > .seconds(100) + scene.duration - .seconds(60) }
        let series = Set(recent.filter { $0.ecu == addresses.engine }.map(\.value.field.name))
        #expect(series == ["engine_speed", "vehicle_speed", "coolant_temperature"])
        // If sessions end again and again, the last one may have ended just before the end of the test.
        let seconds = scene.connections == 1...1 ? 60 : 30
        #expect(recent.count > seconds * 1000 / Int(scene.intervals[0x0C]?.milliseconds ?? 1000))
        let ends = log.states.compactMap { if case .waiting(let error, _) = $0 { error } else { nil } }
        #expect(Set(ends).isSubset(of: scene.losses), "\(Set(ends))")
        if scene.isHarmless { #expect(log.dropped == 0) }
        if scene.isHarmless || [[15], [32]].contains(scene.adapter.quirks) {
            let speeds = recent.count { $0.ecu == addresses.engine && $0.value.field.name == "engine_speed" }
            #expect(speeds > 54, "\(speeds) of one each second")
            #expect(log.readings.allSatisfy { !$0.lists.values.contains(where: \.isOpen) }, "\(log.readings)")
        }
        // A VIN is the vehicle's or missing, and a list is unread or right.
        #expect(log.identities.allSatisfy { $0.vin == nil || $0.vin?.description == scene.vehicle.vin })
        let ecus = [addresses.engine, addresses.transmission].prefix(scene.vehicle.ecus)
        #expect(Set(log.identities.flatMap(\.ecus.keys)) == Set(ecus))
        for (state, list) in log.readings.flatMap(\.lists) {
            guard case .read(let ecus) = list else { continue }
            let truth = scene.codes(state)
            #expect(ecus.allSatisfy { Set($0.value.compactMap(\.dtc)) == truth[$0.key] }, "\(state): \(ecus)")
            #expect(truth.allSatisfy { $0.value.isEmpty || ecus[$0.key] != nil }, "\(state): \(ecus)")
        }
        for (ecu, status) in log.monitors.flatMap(\.self) {
            #expect(status.codeCount == scene.codes(.stored)[ecu]?.count, "\(ecu): \(status)")
        }
        for case .connected(let report) in log.states {
            #expect(report.identity == scene.identity && report.works(.reset) == scene.isReset)
            #expect((report.voltage != nil) == (scene.voltage != nil))
            if let volts = report.voltage { #expect(scene.voltage?.contains(volts) == true, "\(volts) V") }
        }
        if scene.adapter.quirks.contains(44) {
            #expect(log.adapters.last?.assessments[.voltage]?.note?.contains("above") == true)
        }
        guard isWhole else { return }
        #expect(log.identities.last?.vin?.description == scene.vehicle.vin)
        let names = log.identities.map { $0.ecus.values.compactMap(\.name).count }
        #expect(names.max() == scene.vehicle.ecus, "\(names)")
        let isRead = log.readings.contains { $0.lists.count == 3 && !$0.lists.values.contains(where: \.isOpen) }
        #expect(isRead, "\(log.readings)")
    }

    @Test("Every kind of adapter comes up, and what it tells is right", arguments: Personality.all.map(\.name))
    func personality(name: String) async throws {
        var scene = QuirkScene(0)
        try #require(Personality.named(name)).apply(to: &scene.adapter)
        scene.identity = scene.adapter.version
        scene.isReset = !scene.adapter.neverAnswersReset
        try await Self.check(scene, isWhole: true)
    }
}
