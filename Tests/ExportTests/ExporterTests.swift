// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Store
import Testing

@Suite("The recording as rows")
struct ExporterTests {
    private static let series: [String: Telemetry.Series] = [
        "engine_speed": .init(ecu: "7E8", scale: 0.25, dt: [0, 480, 520], dv: [3250, 12, -4]),
        "coolant_temperature/7E9": .init(ecu: "7E9", scale: 1, dt: [480], dv: [-40]),
        "commanded_egr": .init(ecu: "7E8", scale: 100.0 / 255, dt: [480], dv: [33]),
    ]

    @Test("In the long layout a row is a sample with its time, its unit and its record's number")
    func long() async throws {
        let bench = try await Bench()
        await bench.append(Self.series, at: 0)
        await bench.save()
        let (text, progress) = try bench.export()
        #expect(
            text == """
                vehicle,time,clock,parameter,ecu,value,unit,epoch,seq\r
                van,2026-11-21T10:00:00.000Z,synchronised,engine_speed,7E8,812.5,rpm,100,1\r
                van,2026-11-21T10:00:00.480Z,synchronised,commanded_egr,7E8,12.941176,,100,1\r
                van,2026-11-21T10:00:00.480Z,synchronised,coolant_temperature/7E9,7E9,-40,,100,1\r
                van,2026-11-21T10:00:00.480Z,synchronised,engine_speed,7E8,815.5,rpm,100,1\r
                van,2026-11-21T10:00:01.000Z,synchronised,engine_speed,7E8,814.5,rpm,100,1\r

                """
        )
        #expect(progress.rows == 5 && progress.damaged == 0 && progress.time == Bench.date + .seconds(1))
    }

    @Test("In the wide layout a row is a time, across records too")
    func wide() async throws {
        let bench = try await Bench()
        await bench.append(Self.series, at: 0)
        await bench.append(["fuel_level": .init(ecu: "7E8", scale: 1, dt: [0, 500], dv: [50, 1])], at: 1000)
        await bench.save()
        let (text, progress) = try bench.export(.samples, .csv, .wide)
        #expect(
            text == """
                vehicle,time,clock,epoch,commanded_egr,coolant_temperature/7E9,engine_speed,fuel_level\r
                van,2026-11-21T10:00:00.000Z,synchronised,100,,,812.5,\r
                van,2026-11-21T10:00:00.480Z,synchronised,100,12.941176,-40,815.5,\r
                van,2026-11-21T10:00:01.000Z,synchronised,100,,,814.5,50\r
                van,2026-11-21T10:00:01.500Z,synchronised,100,,,,51\r

                """
        )
        #expect(progress.rows == 4 && progress.complete.count == 2)
    }

    @Test("JSON Lines leave unknown values out")
    func lines() async throws {
        let bench = try await Bench()
        await bench.append(["fuel_level": .init(ecu: "7E8", scale: 0.5, dt: [5], dv: [3])], at: 0)
        await bench.save(.unsynchronised)
        #expect(
            try bench.export(.samples, .jsonl).text == """
                {"vehicle":"van","time":"2026-11-21T10:00:00.005Z","clock":"unsynchronised","parameter":"fuel_level",\
                "ecu":"7E8","value":1.5,"epoch":100,"seq":1}

                """
        )
    }

    @Test("The codes are the events about codes and the lamp, and no others")
    func codes() async throws {
        let bench = try await Bench()
        await bench.append("{\"event\":\"started\"}", to: .events, at: 0)
        let appeared = """
            {"event":"code_appeared","code":"P0301","ecu":"7E8","states":["stored","pending"],\
            "description":"Misfire, \\"cylinder\\" 1"}
            """
        await bench.append(appeared, to: .events, at: 1000)
        await bench.append("{\"event\":\"mil_on\"}", to: .events, at: 2000)
        await bench.save()
        #expect(
            try bench.export(.codes).text == """
                vehicle,time,clock,event,code,description,ecu,states,epoch,seq\r
                van,2026-11-21T10:00:01.000Z,synchronised,code_appeared,P0301,"Misfire, ""cylinder"" 1",7E8,stored pending,\
                100,2\r
                van,2026-11-21T10:00:02.000Z,synchronised,mil_on,,,,,100,3\r

                """
        )
    }

    @Test("A finding is a row, whatever its text; a damaged one is reported")
    func findings() async throws {
        let bench = try await Bench()
        await bench.meet("van")
        let finding = Finding(
            id: "f-1",
            time: Bench.date + .seconds(3),
            issuer: nil,
            severity: .urgent,
            text: "Coil 1,\n\"replace\" it",
            codes: ["P0301", "P0351"]
        )
        for (vehicle, body) in [("van", finding.json.text), ("car", finding.json.text), ("van", "{\"text\": 1}")] {
            await bench.store.remember(FindingEntry(vehicle: vehicle, at: Bench.time(3000), body: Array(body.utf8)))
        }
        await bench.save()
        let (text, progress) = try bench.export(.findings)
        #expect(
            text == """
                vehicle,time,clock,severity,text,codes,issuer,id,number\r
                van,2026-11-21T10:00:03.000Z,synchronised,urgent,"Coil 1,
                ""replace"" it",P0301 P0351,,f-1,1\r

                """
        )
        #expect(progress.rows == 1 && progress.damaged == 1)
        #expect(try bench.recording().findings(of: "van") == [finding])
    }

    @Test("Samples outside the requested time and of other vehicles are left out")
    func range() async throws {
        let bench = try await Bench()
        for second in 0..<20 as Range<Int64> {
            let series = Telemetry.Series(ecu: "7E8", scale: 1, dt: [0, 500], dv: [2 * second, 1])
            await bench.append(["n": series], at: second * 1000, vehicle: second % 2 == 0 ? "van" : "car")
        }
        await bench.save()
        let (text, progress) = try bench.export(from: "10:00:04.500", to: "10:00:10.500")
        let values = text.split(separator: "\r\n").dropFirst().compactMap { $0.split(separator: ",")[5] }
        #expect(values == ["9", "12", "13", "16", "17", "20"])
        // The first and the last record were exported in part only.
        #expect(progress.complete.map(\.seq) == [7, 9])
    }

    @Test("A damaged record is reported, and the others are exported")
    func damage() async throws {
        let bench = try await Bench()
        let bodies = [
            "{}", "x", "{\"series\":[]}", "{\"series\":{\"a\":{\"ecu\":\"7E8\",\"scale\":1,\"dt\":[1],\"dv\":[]}}}",
            "{\"series\":{\"a\":{\"ecu\":\"7E8\",\"scale\":1,\"dt\":[1.5],\"dv\":[1]}}}",
        ]
        for body in bodies { await bench.append(body, to: .telemetry, at: 0) }
        let extreme = [Int64.max, .max, .max]
        await bench.append(["a": .init(ecu: "7E8", scale: 1, dt: extreme, dv: extreme)], at: 0)
        await bench.append(["a": .init(ecu: "7E8", scale: 1e300, dt: [.min], dv: [.min])], at: 0)
        await bench.append(["b": .init(ecu: "7E8", scale: 1, dt: [0], dv: [1])], at: 0)
        await bench.save()
        let (text, progress) = try bench.export()
        #expect(progress.damaged == bodies.count + 1)
        #expect(text.split(separator: "\r\n").contains { $0.contains(",b,7E8,1,") })
    }

    @Test("Only records that were exported completely and acknowledged are removed")
    func remove() async throws {
        let bench = try await Bench()
        await bench.meet("van")
        for number in 0..<200 as Range<Int64> {
            await bench.append(["n": .init(ecu: "7E8", scale: 1, dt: [0], dv: [number])], at: number * 1000)
        }
        await bench.acknowledge(150)
        await bench.save()
        let recording = try bench.recording()
        let complete = try bench.export(from: "10:00:20").progress.complete
        #expect(complete.count == 180)
        #expect(try recording.remove(.samples, complete, of: "van") == 130)
        let left = try bench.export().progress.complete.map(\.seq)
        #expect(left == Array(1...20) + Array(151...200))
        // The agent continues with the same database.
        await bench.store.returnInFlight()
        #expect(await bench.store.next()?.id.seq == 151)
        #expect(try recording.vehicles().map(\.name) == ["van"])
    }

    @Test("A vehicle without a recording is forgotten, except for the connected one")
    func forget() async throws {
        let bench = try await Bench()
        for name in ["one", "two"] {
            await bench.meet(name, vin: "VIN")
            await bench.append(["n": .init(ecu: "7E8", scale: 1, dt: [0], dv: [1])], at: 0, vehicle: name)
            await bench.append("{\"event\":\"started\"}", to: .events, at: 0, vehicle: name)
            await bench.append("{\"event\":\"code_gone\",\"code\":\"P0301\"}", to: .events, at: 0, vehicle: name)
            await bench.store.remember(StoredState(.selection, [1]), of: name)
        }
        await bench.save(values: [
            .init(vehicle: "one", series: "n", ecu: "7E8", value: 1, label: nil, unit: nil, at: .zero)
        ])
        await bench.acknowledge()
        await bench.save()
        let recording = try bench.recording()
        func remove(_ kind: Recording.Kind, _ name: String) throws {
            let complete = try bench.export(kind, vehicle: name).progress.complete
            #expect(try recording.remove(kind, complete, of: name) == 1)
        }
        try remove(.samples, "one")
        #expect(try recording.vehicles().map(\.name) == ["one", "two"])
        #expect(try recording.lastValues(of: "one").count == 1)
        try remove(.codes, "one")
        #expect(try recording.vehicles().map(\.name) == ["two"])
        #expect(try recording.lastValues(of: "one").isEmpty)
        #expect(await bench.store.state(.selection, of: "one") == nil)
        for kind in [Recording.Kind.samples, .codes] { try remove(kind, "two") }
        #expect(try recording.vehicles().map(\.name) == ["two"])
        #expect(await bench.store.state(.selection, of: "two") == [1])
    }

    @Test("The newest value of each parameter is stored, and can be removed")
    func last() async throws {
        let bench = try await Bench()
        await bench.meet("van")
        func value(_ series: String, _ value: JSON, _ at: Int64) -> LastValue {
            LastValue(
                vehicle: "van",
                series: series,
                ecu: "7E8",
                value: value,
                label: "l",
                unit: "u",
                at: Bench.time(at)
            )
        }
        await bench.append("{\"event\":\"started\"}", to: .events, at: 0)
        await bench.save(values: [value("a", 1, 1000), value("b", ["x", "y"], 2000)])
        await bench.append("{\"event\":\"started\"}", to: .events, at: 0)
        await bench.save(values: [value("a", .number(2.5), 3000)])
        let recording = try bench.recording()
        let readings = try recording.lastValues(of: "van")
        #expect(readings.map(\.value.value) == [.number(2.5), ["x", "y"]])
        #expect(readings.map(\.value.label) == ["l", "l"])
        let times = readings.map { $0.start.date + $0.value.at.sinceBoot }
        #expect(times == [Bench.date + .seconds(3), Bench.date + .seconds(2)])
        #expect(readings.map(\.start.quality) == [.synchronised, .synchronised])
        try recording.clearLastValues(of: "van")
        #expect(try recording.lastValues(of: "van").isEmpty)
    }

    @Test("A missing database, and one of another version, are errors")
    func versions() async throws {
        let bench = try await Bench()
        #expect(throws: StoreError.noDatabase("/nowhere/obd-agent.db")) { try Recording(in: "/nowhere") }
        for (version, expected) in [(0, "older"), (99, "newer")] {
            try bench.set(version: version)
            let error = #expect(throws: StoreError.self) { try bench.recording() }
            #expect(error?.description.contains(expected) == true)
        }
    }
}
