// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Testing

@testable import Simulator

/// The formulas are those of the OBDb project's signal sets.
@Suite("Electric vehicles")
struct ElectricTests {
    private static let hyundai = ["ATSH7E4", "ATCRA7EC"]

    @Test("As Hyundai and Kia answer, 22 01 01 decodes to the state of the vehicle in each phase")
    func hyundaiBattery() throws {
        for kind in [VehiclePhase.Kind.drive, .standing, .ignition, .awake, .pluggedIn, .charging] {
            var bench = try Bench.model(.electric, in: kind, Self.hyundai)
            let data = try bench.answer("220101")
            let state = bench.state
            #expect(data.count == 59)
            #expect(abs(data.number(32, 8) / 2 - state.stateOfCharge) <= 0.3)
            #expect(data.number(72, 1) == (kind == .charging ? 1 : 0))
            #expect(data.number(74, 1) == (kind.isPluggedIn ? 1 : 0))
            #expect(data.number(79, 1) == (kind.isReady || kind == .charging ? 1 : 0))
            #expect(abs(data.number(96, 16) / 10 - state.tractionVoltage) < 2)
            #expect(abs(data.signed(112, 8) - state.tractionTemperature - 1) <= 0.6)
            #expect(abs(data.number(232, 8) / 10 - state.voltage) <= 0.15)
            #expect(data.number(405, 1) == (kind.isReady ? 1 : 0), "ignition of the battery's ECU")
            if kind != .drive { #expect(abs(data.signed(80, 16) / 10 - state.tractionCurrent) <= 0.1) }
        }
    }

    @Test("As Hyundai and Kia answer, the other ECUs have speed, distance, health and the charger")
    func hyundaiOthers() throws {
        var bench = try Bench.model(.electric, in: .charging, Self.hyundai)
        let health = try bench.answer("220105")
        #expect(health.number(200, 16) / 10 == bench.state.stateOfHealth)
        #expect(abs(health.number(248, 8) / 2 - bench.state.stateOfCharge) <= 0.3)
        _ = bench.send("ATSH744\r")
        _ = bench.send("ATCRA74C\r")
        let charger = try bench.answer("22E001")
        #expect(charger.number(141, 1) == 1)
        #expect(abs(charger.number(224, 16) * 10 - 50 - bench.state.chargerPower * 1000) <= 6)
        #expect(try bench.answer("22E004").number(38, 1) == 1)
        var drive = try Bench.model(.electric, ["ATSH7E2", "ATCRA7EA"])
        let state = drive.vehicle.state(at: drive.time + .milliseconds(16))
        let motion = try drive.answer("22E004")
        let speed = Int16(bitPattern: UInt16(motion[10]) | UInt16(motion[11]) << 8)
        #expect(state.vehicleSpeed > 10 && abs(Double(speed) * 156.25 / 10_000 - state.vehicleSpeed) < 0.2)
        _ = drive.send("ATSH7C6\r")
        _ = drive.send("ATCRA7CE\r")
        #expect(try drive.answer("22B002").number(48, 24) == drive.state.odometer.rounded(.down))
    }

    @Test("As Hyundai and Kia answer, service 01 has neither speed, and there is no VIN in service 09")
    func hyundaiService01() throws {
        var bench = try Bench.model(.electric, ["ATH1", "ATS0"])
        #expect(bench.lines("0100") == ["7EB06410080000001", "7EC06410080000001"])
        #expect(bench.lines("0120") == ["7EB06412080018000", "7EC06412080018001"])
        for request in ["010C", "010D", "0902", "0600"] { #expect(bench.lines(request) == ["NO DATA"], "\(request)") }
        let charge = bench.lines("015B").first ?? ""
        #expect(charge.hasPrefix("7EC03415B"))
        let value = Double(UInt8(charge.suffix(2), radix: 16) ?? 0) * 100 / 255
        #expect(abs(value - bench.state.stateOfCharge) < 0.4)
        #expect(bench.lines("03") == ["7EB024300", "7EC024300"])
        _ = bench.send("ATSH7E4\r")
        #expect(bench.data("22F190") == nil, "the lines have headers")
        _ = bench.send("ATH0\r")
        #expect(bench.data("22F190").map { String(decoding: $0, as: UTF8.self) } == bench.vehicle.options.vin)
        #expect(bench.lines("22FFFF") == ["7F2231"])
        #expect(bench.lines("04") == ["44"])
        #expect(bench.vehicle.requests.writes.map(\.payload) == [[0x04]])
    }

    @Test("The configured VIN is what the ECUs of an electric vehicle report to a request of their own")
    func configuredVIN() throws {
        let vin = "KNDC3DLC5R5000001"
        for (model, header, request) in [
            (VehicleModel.electric, ["ATSH7E4"], "22F190"),
            (.electricLeaf, ["ATSH797", "ATCRA79A", "ATFCSH797", "ATFCSD300000", "ATFCSM1"], "2181"),
        ] {
            var bench = try Bench.model(model, vin: vin)
            for line in header { _ = bench.send("\(line)\r") }
            #expect(bench.data(request).map { String(decoding: $0, as: UTF8.self) } == vin, "\(model.name)")
        }
    }

    @Test("As the Leaf answers, a long answer needs flow control at the ECU's own address")
    func leafFlowControl() throws {
        var bench = try Bench.model(.electricLeaf, ["ATSH79B", "ATCRA7BB", "ATS0"])
        #expect(bench.lines("2101").count == 2)
        for line in ["ATFCSH7B3", "ATFCSD300000", "ATFCSM1"] { _ = bench.send("\(line)\r") }
        #expect(bench.lines("2101").count == 2)
        _ = bench.send("ATFCSH79B\r")
        let data = try bench.answer("2101")
        let state = bench.state
        #expect(data.count == 39)
        #expect(abs(data.number(144, 16) / 100 - state.tractionVoltage) < 2)
        #expect(abs(data.number(248, 24) / 8190 - 17 - state.stateOfCharge) < 0.1)
        #expect(try bench.answer("2161").number(16, 16) / 100 == state.stateOfHealth)
    }

    @Test("As the Leaf answers, no ECU has service 01, and a search finds no bus")
    func leafService01() throws {
        var bench = try Bench.model(.electricLeaf)
        for request in ["0100", "010D", "0902", "03"] { #expect(bench.lines(request) == ["NO DATA"]) }
        _ = bench.send("ATSP0\r")
        #expect(bench.lines("0100").last == "UNABLE TO CONNECT")
    }

    @Test("As the Leaf answers, short answers have speed, plug, charge, range and the power switch")
    func leafShort() throws {
        for kind in [VehiclePhase.Kind.drive, .ignition, .pluggedIn, .charging] {
            var bench = try Bench.model(.electricLeaf, in: kind, ["ATSH797", "ATCRA79A"])
            let state = bench.vehicle.state(at: bench.time + .milliseconds(16))
            #expect(abs(try bench.answer("22121A").number(0, 16) / 10 - state.vehicleSpeed) < 0.1)
            #expect(abs(try bench.answer("221103").number(0, 8) / 12.5 - state.voltage) < 0.1)
            #expect(try bench.answer("22114E") == [kind == .charging ? 2 : 0])
            #expect(try bench.answer("221234") == [kind.isPluggedIn ? 2 : 0])
            #expect(abs(try bench.answer("221236").number(0, 16) * 100 - state.chargerPower * 1000) <= 50)
            #expect(try bench.answer("221304").number(0, 1) == (kind.isReady ? 1 : 0))
            for line in ["ATSH743", "ATCRA763"] { _ = bench.send("\(line)\r") }
            let range = bench.data("220E2E")
            #expect(kind == .charging ? range == nil : abs((range?.number(0, 16) ?? 0) - state.range) < 1)
        }
    }

    @Test("With 29-bit addresses, identifiers of priority 17 decode, and service 01 has few parameters")
    func volkswagen() throws {
        for kind in [VehiclePhase.Kind.drive, .awake, .charging] {
            var bench = try Bench.model(.electric29Bit, in: kind, ["ATCP17", "ATSHFC007B", "ATCRA17FE007B"])
            let state = bench.vehicle.state(at: bench.time + .milliseconds(16))
            let charge = try bench.answer("22028C").number(0, 8) * 20.4 / 46 - 6.4
            #expect(abs(charge - state.stateOfCharge) < 0.3)
            let flags = try bench.answer("227448")
            #expect(flags.number(5, 1) == (kind == .charging ? 1 : 0))
            #expect(flags.number(7, 1) == (kind == .drive ? 1 : 0))
            #expect(abs(try bench.answer("221E3B").number(0, 16) / 4 - state.tractionVoltage) < 2)
            #expect(abs(try bench.answer("222A0B").number(0, 8) / 2 - 40 - state.tractionTemperature) < 0.3)
            #expect(abs(try bench.answer("22F40D").number(0, 8) - state.vehicleSpeed) < 1)
            for line in ["ATSHFC00B9", "ATCRA17FE00B9"] { _ = bench.send("\(line)\r") }
            #expect(abs(try bench.answer("22465D").number(0, 16) / 512 - bench.state.voltage) < 0.1)
            for line in ["ATSHFC0076", "ATCRA17FE0076"] { _ = bench.send("\(line)\r") }
            #expect((bench.data("22295A")?.number(0, 24) == bench.state.odometer.rounded(.down)) == (kind != .charging))
            for line in ["ATCP18", "ATSHDB33F1", "ATAR", "ATH1", "ATS0"] { _ = bench.send("\(line)\r") }
            #expect(bench.lines("015B").first?.hasPrefix("18DAF10503415B") == true)
            #expect(bench.lines("010D").count == (kind == .charging ? 1 : 2))
            #expect(bench.lines("019A").first?.hasPrefix("18DAF1051008419A06") == true)
            #expect(bench.lines("0131") == ["NO DATA"])
        }
    }

    @Test("No ECU answers while it sleeps, at the plug or during a top-up", arguments: VehicleModel.all)
    func asleep(model: VehicleModel) throws {
        for kind in [VehiclePhase.Kind.asleep, .topUp, .pluggedAsleep] {
            let bench = try Bench.model(model, in: kind)
            var vehicle = bench.vehicle
            #expect(vehicle.replies(to: [0x01, 0x00], target: .functional, at: bench.time).isEmpty)
            for ecu in model.sideECUs {
                for answer in ecu.answers { #expect(vehicle.reply(of: ecu, to: answer.request, at: bench.time) == nil) }
            }
        }
    }

    @Test("While the vehicle charges, the ECUs that report the charge answer, and no others")
    func charging() throws {
        let bench = try Bench.model(.electric, in: .charging)
        var vehicle = bench.vehicle
        let replies = vehicle.replies(to: [0x01, 0x00], target: .functional, at: bench.time)
        #expect(replies.map(\.ecu) == [.battery])
        let answering = vehicle.sideECUs.filter { vehicle.reply(of: $0, to: [0x22, 0, 0], at: bench.time) != nil }
        #expect(answering.map(\.name) == ["battery", "charger"])
    }
}

extension VehicleModel: CustomTestStringConvertible {
    package var testDescription: String { self.name }
}
