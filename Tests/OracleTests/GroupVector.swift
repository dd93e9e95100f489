// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// A message of J1939 with the values that an independent reader finds in it.
///
/// The figures are facts from the unit tests and the issues of github.com/Equipment-and-Tool-Institute/j1939-84, an open
/// implementation of the tests that SAE J1939-84 prescribes.
struct GroupVector: Sendable {
    let identifier: UInt32
    let data: String
    let expected: Expected

    enum Expected: Sendable {
        /// The values of a group by their names; nil for one that the sender does not have.
        case values([String: Double?])
        /// The lamps MIL, red stop, amber warning and protect, and each code with its number of occurrences.
        case codes(lamps: [Bool?], [Code])
        /// The sender does not know its codes.
        case notAvailable
        /// The bytes of the code have a layout of before 1996.
        case oldFormat
        case vin(String)
        case component([String])
        /// The monitors that the ECU has, and those of them that are incomplete, by the request of SAE J1979.
        case monitors(Request, supported: Set<Monitor>, incomplete: Set<Monitor>)
        /// The calibrations with their verification numbers.
        case calibrations([String: String])
        /// The ignition cycles, and the conditions of each monitor.
        case performance(cycles: Int, conditions: [String: Int])
        /// The failure modes and the verdicts of tests.
        case tests([FMI: ScaledTestResult.Verdict])
    }

    struct Code: Hashable, Sendable {
        let spn: SPN
        let fmi: FMI
        let occurrences: Int?

        init(_ spn: SPN, _ fmi: FMI, _ occurrences: Int? = nil) {
            self.spn = spn
            self.fmi = fmi
            self.occurrences = occurrences
        }
    }

    private init(_ identifier: UInt32, _ data: String, _ expected: Expected) {
        self.identifier = identifier
        self.data = data
        self.expected = expected
    }

    // One row of the table on each line.
    // swift-format-ignore
    static let all: [GroupVector] = [
        // EngineSpeedPacketTest: 300 rpm, the highest value, zero, error, not available.
        .init(0x0CF00400, "11 22 33 60 09 66 77 88", .values(["engine_speed": 300, "demanded_torque": -91, "actual_torque": -74])),
        .init(0x0CF00400, "11 22 33 FF FA 66 77 88", .values(["engine_speed": 8031.875])),
        .init(0x0CF00400, "11 22 33 00 00 66 77 88", .values(["engine_speed": 0])),
        .init(0x0CF00400, "11 22 33 FF FE 66 77 88", .values(["engine_speed": nil, "demanded_torque": -91])),
        .init(0x0CF00400, "11 22 33 FF FF 66 77 88", .values(["engine_speed": nil])),
        // EngineHoursPacketTest.
        .init(0x18FEE500, "FE 05 00 00 55 66 77 88", .values(["engine_hours": 76.7])),
        .init(0x18FEE500, "FF FF FF FA 55 66 77 88", .values(["engine_hours": 210_554_060.75])),
        .init(0x18FEE500, "FF FF FF FF 55 66 77 88", .values(["engine_hours": nil])),
        .init(0x18FEE500, "00 00 00 00 55 66 77 88", .values(["engine_hours": 0])),
        // HighResVehicleDistancePacketTest.
        .init(0x18FEC100, "80 14 06 00 11 22 33 44", .values(["odometer": 1992.32])),
        .init(0x18FEC100, "FF FF FF FA 11 22 33 44", .values(["odometer": 21_055_406.075])),
        .init(0x18FEC100, "00 00 00 FE 11 22 33 44", .values(["odometer": nil])),
        .init(0x18FEC100, "FF FF FF FF 11 22 33 44", .values(["odometer": nil])),
        // Issues 1250, 496, 859, 863, 1157: messages of trucks and test benches.
        .init(0x18FEEE00, "87 59 55 30 FF FF 3C FF", .values(["coolant_temperature": 95, "fuel_temperature": 49, "oil_temperature": 113.65625])),
        .init(0x18FEF500, "CA FF FF 1A 21 FF FF FF", .values(["barometric_pressure": 101, "ambient_air_temperature": -8.1875, "intake_air_temperature": nil])),
        .init(0x0CF00300, "D1 01 08 FF FF FF 6E FF", .values(["accelerator_pedal_position": 0.4, "engine_load": 8])),
        .init(0x18FEF755, "FF FF FF FF F8 00 FF FF", .values(["battery_voltage": 12.4])),
        .init(0x18FEF10B, "FF 00 00 FF FF FF FF FF", .values(["vehicle_speed": 0])),
        // DM1ActiveDTCsPacketTest; a lamp that flashes is on.
        .init(0x18FECA00, "11 CD 61 02 13 00 21 06 1F 00 EE 10 04 00", .codes(lamps: [false, true, false, true], [Code(609, 19), Code(1569, 31), Code(4334, 4)])),
        // DiagnosticTroubleCodePacketTest, the layout of all messages with codes.
        .init(0x18FECA00, "54 4F 61 02 13 00 21 06 1F 00 EE 10 04 00", .codes(lamps: [true, true, true, false], [Code(609, 19), Code(1569, 31), Code(4334, 4)])),
        .init(0x18FECB00, "00 FF 61 02 13 00 FF FF", .codes(lamps: [false, false, false, false], [Code(609, 19)])),
        .init(0x18FECB00, "00 FF 61 02 13 00", .codes(lamps: [false, false, false, false], [Code(609, 19)])),
        .init(0x18FECB00, "00 FF 00 00 00 00", .codes(lamps: [false, false, false, false], [])),
        .init(0x18FECA00, "00 00 00 00 00 00 FF FF", .codes(lamps: [false, false, false, false], [])),
        .init(0x18FECA00, "04 0C 00 00 00 00", .codes(lamps: [false, false, true, false], [])),
        .init(0x18FECA00, "40 C0 00 00 00 00", .codes(lamps: [true, false, false, false], [])),
        .init(0x18FECA00, "10 30 00 00 00 00", .codes(lamps: [false, true, false, false], [])),
        .init(0x18FECA00, "01 03 00 00 00 00", .codes(lamps: [false, false, false, true], [])),
        .init(0x18FECA00, "FF FF FF FF FF FF", .notAvailable),
        // DiagnosticTroubleCodeTest: 35 occurrences, SPN 0 with a failure mode, the conversion method of before 1996.
        .init(0x18FECA00, "00 FF 21 06 1F 23 FF FF", .codes(lamps: [false, false, false, false], [Code(1569, 31, 35)])),
        .init(0x18FECA00, "00 FF 00 00 1F 00 FF FF", .codes(lamps: [false, false, false, false], [Code(0, 31)])),
        .init(0x18FECA00, "00 FF FF FF E0 00 FF FF", .codes(lamps: [false, false, false, false], [Code(524_287, 0)])),
        .init(0x18FECA00, "00 FF 61 02 13 81 FF FF", .oldFormat),
        // DM6PendingEmissionDTCPacketTest.
        .init(0x18FECF00, "00 FF 01 19 00 00 00 00", .codes(lamps: [false, false, false, false], [Code(6401, 0)])),
        .init(0x18FECF00, "55 FF 01 13 00 00 00 00", .codes(lamps: [true, true, true, true], [Code(4865, 0)])),
        .init(0x18FECF00, "55 55 00 00 00 00 FF FF", .codes(lamps: [true, true, true, true], [])),
        // DM28PermanentEmissionDTCPacketTest: the protect lamp is neither on nor off.
        .init(0x18FD8000, "42 FD 9D 00 07 01 FF FF", .codes(lamps: [true, false, false, nil], [Code(157, 7, 1)])),
        // Issue 1034: DM5. Issue 567: DM26 of another truck.
        .init(0x18FECE01, "00 00 14 37 E0 02 A0 02", .monitors(.currentData(0x01), supported: [.misfire, .fuelSystem, .components, .exhaustGasSensor, .oxygenSensorHeater, .exhaustGasRecirculation, .boostPressure], incomplete: [.misfire, .fuelSystem, .exhaustGasSensor, .exhaustGasRecirculation, .boostPressure])),
        .init(0x18FDB800, "00 00 05 37 40 14 E0 1E", .monitors(.currentData(0x41), supported: [.misfire, .fuelSystem, .components, .oxygenSensorHeater, .nmhcCatalyst, .particulateFilter], incomplete: [.misfire, .fuelSystem, .oxygenSensorHeater, .nmhcCatalyst, .particulateFilter])),
        .init(0x18FDB800, "0B 16 21 00 00 00 00 00", .values(["run_time": 5643, "warm_ups_since_clear": 33])),
        // Issues 1015 and 1134: DM19, one frame after the other.
        .init(0x18D3FF00, "D2 FF 9C 4E 33 38 33 30 30 30 38 31 2D 31 00 00 00 00 00 00", .calibrations(["38300081-1": "4E9CFFD2"])),
        .init(0x1CD3FF00, "C0 08 EE 18 41 32 36 32 39 58 58 4C 5F 46 31 32 30 30 47 31 A8 73 89 13 4E 4F 78 2D 53 41 45 31 34 61 20 41 54 49 31 00 8B 21 D2 3A 30 34 30 32 30 32 30 30 30 38 00 00 00 00 00 00", .calibrations(["A2629XXL_F1200G1": "18EE08C0", "NOx-SAE14a ATI1": "138973A8", "0402020008": "3AD2218B"])),
        // Issue 1051: DM20, and DM30 with two limits.
        .init(0x1CC2FF00, "13 00 01 00 CA 14 F8 00 00 00 00 B8 12 F8 00 00 01 00 C6 14 F8 00 00 01 00 F2 0B F8 00 00 01 00 F8 0B F8 00 00 01 00 C9 14 F8 00 00 01 00 EF 0B F8 00 00 01 00", .performance(cycles: 19, conditions: ["nmhc_catalyst": 0, "nox_catalyst": 1, "nox_adsorber": 0, "pm_filter": 1, "exhaust_gas_sensor": 1, "egr_vvt": 1, "boost_pressure": 1, "fuel": 1])),
        .init(0x1CA4FF00, "F7 9D 00 12 82 01 D8 0F 70 17 FF FF F7 9D 00 10 82 01 D8 0F FF FF D0 07", .tests([18: .passed, 16: .passed])),
        // DM21DiagnosticReadinessPacketTest, sent to the tester alone.
        .init(0x18C1F900, "10 27 20 4E 30 75 40 9C", .values(["distance_with_mil": 10_000, "distance_since_clear": 20_000, "run_time_with_mil": 30_000, "time_since_clear": 40_000])),
        .init(0x18C1F900, "FF FA FF FE FF FF 00 00", .values(["distance_with_mil": 64_255, "distance_since_clear": nil, "run_time_with_mil": nil, "time_since_clear": 0])),
        // VehicleIdentificationPacketTest: with its asterisk, and without.
        .init(0x18FEEC00, "33 48 41 4D 4B 53 54 4E 30 46 4C 35 37 35 30 31 32 2A", .vin("3HAMKSTN0FL575012")),
        .init(0x18FEEC00, "33 48 41 4D 4B 53 54 4E 30 46 4C 35 37 35 30 31 32", .vin("3HAMKSTN0FL575012")),
        // ComponentIdentificationPacketTest: an engine's own, padded with blanks and zeros.
        .init(0x18FEEB00, "49 4E 54 20 20 2A 37 35 37 31 30 33 31 35 31 35 2A 31 32 34 4B 4D 32 59 34 34 31 31 38 38 38 00 00 00 2A 30 00 00 00 00 00 00 00 00 00 2A", .component(["INT", "7571031515", "124KM2Y4411888", "0"])),
    ]
}
