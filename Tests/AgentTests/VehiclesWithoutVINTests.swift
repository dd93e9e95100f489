// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration
import ELM327
import EventLoop
import OBD2
import Session
import Store
import Testing

@testable import Agent

@Suite("Vehicles without a VIN, some of whose ECUs sleep")
struct VehiclesWithoutVINTests {
    private static func naming() -> VehicleNaming {
        VehicleNaming(.init(), MachineIdentity(agent: "a1b2c3d4e5f6", boot: "boot"), key: [1])
    }

    private static func vehicle(_ calibrations: [UInt16: String], vin: String? = nil) -> VehicleIdentity {
        var identity = VehicleIdentity(bus: .can11at500, ecus: [:])
        for (address, calibration) in calibrations {
            var ecu = ECUIdentity()
            ecu.calibrationIDs = calibration.isEmpty ? [] : [calibration]
            ecu.vin = vin.flatMap(VIN.init)
            identity.ecus[.can11(address)] = ecu
        }
        return identity
    }

    /// Identifies a vehicle in a session of its own.
    @discardableResult
    private static func meet(_ vehicle: VehicleIdentity, _ naming: VehicleNaming) -> VehicleNaming.Identified {
        naming.sessionEnded()
        let found = naming.identify(vehicle)
        _ = naming.learn(vehicle, as: found)
        return found
    }

    private static let drive = Self.vehicle([0x7EB: "MOTOR", 0x7EC: "BATTERY"])
    private static let charge = Self.vehicle([0x7EC: "BATTERY"])

    @Test("A vehicle keeps its name while ECUs sleep, and shows which ones")
    func asleep() {
        let naming = Self.naming()
        let awake = Self.meet(Self.drive, naming)
        #expect(awake.silent.isEmpty)
        for vehicle in [Self.charge, Self.drive, Self.charge, Self.vehicle([0x7EB: "MOTOR"])] {
            #expect(Self.meet(vehicle, naming).marks == awake.marks)
        }
        #expect(naming.identify(Self.charge).silent == ["7EB"] && naming.identify(Self.drive).silent.isEmpty)
    }

    @Test("It does so after a restart, and after another vehicle was at the adapter")
    func restart() throws {
        let first = Self.naming()
        let awake = Self.meet(Self.drive, first)
        let state = try #require(first.learn(Self.drive, as: awake))
        let second = Self.naming()
        second.restore([.init(mark: awake.name, stored: state.body)])
        Self.meet(Self.vehicle([0x7E8: "OTHER"], vin: "1HGCM82633A004352"), second)
        Self.meet(Self.vehicle([0x7E8: "THIRD"]), second)
        let asleep = Self.meet(Self.charge, second)
        #expect(asleep.name == awake.name && asleep.silent == ["7EB"])
    }

    @Test(
        "Another vehicle is recognized by one ECU with other calibrations, or by no ECU in common",
        arguments: [
            [0x7EB: "MOTOR 2", 0x7EC: "BATTERY"], [0x7EC: "BATTERY 2"], [0x7E8: "BATTERY"],
            [0x7EB: "MOTOR", 0x7EC: "B"],
            [0x7EC: ""],
        ] as [[UInt16: String]]
    )
    func other(calibrations: [UInt16: String]) {
        let naming = Self.naming()
        let known = Self.meet(Self.drive, naming)
        #expect(Self.meet(Self.vehicle(calibrations), naming).name != known.name)
        #expect(Self.meet(Self.drive, naming).name == known.name)
    }

    @Test("A vehicle whose ECUs disagree about the VIN is not the one with some of these ECUs")
    func disagreement() {
        let naming = Self.naming()
        let known = Self.meet(Self.drive, naming)
        var other = Self.drive
        other.ecus[.can11(0x7EB)]?.vin = VIN("1HGCM82633A004352")
        other.ecus[.can11(0x7EC)]?.vin = VIN("WVWZZZ1JZ3W386752")
        other.ecus[.can11(0x7ED)] = ECUIdentity()
        other.ecus[.can11(0x7ED)]?.calibrationIDs = ["THIRD"]
        #expect(Self.meet(other, naming).name != known.name)
    }

    @Test("An ECU that wakes within the session changes no name, unless it shows another vehicle")
    func waking() {
        let naming = Self.naming()
        let asleep = Self.meet(Self.charge, naming)
        let awake = naming.identify(Self.drive)
        #expect(awake.name == asleep.name && awake.silent.isEmpty)
        _ = naming.learn(Self.drive, as: awake)
        #expect(Self.meet(Self.charge, naming).name == asleep.name)
        #expect(naming.identify(Self.vehicle([0x7EB: "MOTOR 2", 0x7EC: "BATTERY"])).name != asleep.name)
    }

    @Test("Without calibrations, the supported PIDs of each ECU distinguish it")
    func supported() {
        func vehicle(_ ecus: [UInt16: [PID]]) -> VehicleIdentity {
            var identity = VehicleIdentity(bus: .can11at500, ecus: [:])
            for (address, pids) in ecus {
                identity.ecus[.can11(address)] = ECUIdentity()
                identity.ecus[.can11(address)]?.supported = SupportedPIDs(pids)
            }
            return identity
        }
        let (motor, battery): ([PID], [PID]) = ([0x0D, 0x1C], [0x01, 0x1C, 0x5B])
        let naming = Self.naming()
        let awake = Self.meet(vehicle([0x7EA: motor, 0x7EC: battery]), naming)
        let charging = Self.meet(vehicle([0x7EC: battery]), naming)
        #expect(charging.name == awake.name && charging.silent == ["7EA"])
        // PIDs beyond 20 are read later, so they distinguish nothing.
        #expect(Self.meet(vehicle([0x7EC: battery + [0x5C]]), naming).name == awake.name)
        #expect(Self.meet(vehicle([0x7EC: battery + [0x1F]]), naming).name != awake.name)
        #expect(Self.meet(vehicle([0x7EA: motor + [0x1F], 0x7EC: battery]), naming).name != awake.name)
    }

    @Test("In another session a vehicle with an ECU more is another one, because nothing proves the contrary")
    func more() {
        let naming = Self.naming()
        let known = Self.meet(Self.charge, naming)
        let more = Self.meet(Self.drive, naming)
        #expect(more.name != known.name && more.silent.isEmpty)
        // From then on all ECUs are known.
        #expect(Self.meet(Self.charge, naming).name == more.name)
    }

    @Test("The names of before stay, and the one of all ECUs counts once they have answered")
    func upgrade() {
        let old = (drive: Self.naming().identify(Self.drive).name, charge: Self.naming().identify(Self.charge).name)
        #expect(old.drive != old.charge)
        let naming = Self.naming()
        naming.restore([old.charge, old.drive].map { VehiclesWithoutVIN.Vehicle(mark: $0, stored: nil) })
        #expect(Self.meet(Self.charge, naming).name == old.charge)
        let awake = naming.identify(Self.drive)
        #expect(awake.name == old.drive)
        _ = naming.learn(Self.drive, as: awake)
        #expect(Self.meet(Self.charge, naming).name == old.drive)
    }

    @Test("A damaged state is none, and the number of vehicles is bounded")
    func bounds() {
        #expect(VehiclesWithoutVIN.Vehicle(mark: "ecu-1", stored: [0xFF, 0x7B]).ecus.isEmpty)
        var known = VehiclesWithoutVIN()
        for number in 0...VehiclesWithoutVIN.limit { _ = known.identified(as: "ecu-\(number)", ["7E8": ["\(number)"]]) }
        known.sessionEnded()
        #expect(known.mark(of: ["7E8": ["0"]], own: "new") == "new")
        #expect(known.mark(of: ["7E8": ["1"]], own: "new") == "ecu-1")
    }
}
