// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import ELM327
internal import OBD2

/// The models, by what real vehicles answer (OBDb project, github.com/OBDb).
extension VehicleModel {
    /// A car with an engine only, and ECUs for each kind of addressing.
    package static let combustion = VehicleModel(
        name: "combustion",
        summary: "a petrol engine",
        powertrain: .combustion,
        bus: .can11at500,
        ecus: Self.engineECUs,
        services: nil,
        sideECUs: [.battery, .tires, .gateway],
        battery: nil
    )

    package static let mildHybrid = VehicleModel(
        name: "mild-hybrid",
        summary: "an engine that stops while the car stands",
        powertrain: .mildHybrid,
        bus: .can11at500,
        ecus: Self.engineECUs,
        services: nil,
        sideECUs: [.tires],
        battery: nil
    )

    package static let hybrid = VehicleModel(
        name: "hybrid",
        summary: "an engine that also stops for stretches of a drive, as Ford answers",
        powertrain: .hybrid,
        bus: .can11at500,
        ecus: Self.engineECUs + [OBDECU(ecu: .battery, pids: [0x01, 0x0D, 0x42, 0x5B, 0x9A])],
        services: nil,
        sideECUs: SideECU.ford,
        battery: TractionBattery(capacity: 1.1, voltage: 190...240, consumption: 18, charger: 0)
    )

    package static let plugIn = VehicleModel(
        name: "plug-in",
        summary: "a hybrid that is charged from outside, as BMW answers",
        powertrain: .plugIn,
        bus: .can11at500,
        ecus: Self.engineECUs,
        services: nil,
        sideECUs: SideECU.bmw,
        battery: TractionBattery(capacity: 12, voltage: 300...396, consumption: 20, charger: 3.7)
    )

    /// No speeds in service 01, and the state of charge in a long answer.
    package static let electric = VehicleModel(
        name: "electric",
        summary: "service 01 with neither speed, as Hyundai and Kia answer",
        powertrain: .electric,
        bus: .can11at500,
        ecus: [
            OBDECU(ecu: .motor, pids: [0x01, 0x21, 0x30, 0x31]),
            OBDECU(ecu: .battery, pids: [0x01, 0x21, 0x30, 0x31, 0x5B, 0x9A], reportsCharge: true),
        ],
        services: Self.electricServices,
        sideECUs: SideECU.hyundai,
        battery: TractionBattery(capacity: 64, voltage: 310...403, consumption: 16, charger: 11)
    )

    package static let electricLeaf = VehicleModel(
        name: "electric-leaf",
        summary: "no service 01, and flow control at the ECU's address, as the Nissan Leaf answers",
        powertrain: .electric,
        bus: .can11at500,
        ecus: [],
        services: [],
        sideECUs: SideECU.leaf,
        battery: TractionBattery(capacity: 40, voltage: 310...403, consumption: 15, charger: 6.6)
    )

    package static let electric29Bit = VehicleModel(
        name: "electric-29bit",
        summary: "29-bit identifiers of priority 17, as Volkswagen's ID.4 answers",
        powertrain: .electric,
        bus: .can29at500,
        ecus: [
            OBDECU(
                ecu: .battery,
                pids: [0x01, 0x04, 0x0C, 0x0D, 0x1C, 0x41, 0x42, 0x49, 0x5B, 0x9A],
                reportsCharge: true
            ), OBDECU(ecu: .motor, pids: [0x01, 0x0D, 0x42, 0x49]),
        ],
        services: Self.electricServices,
        sideECUs: SideECU.volkswagen,
        battery: TractionBattery(capacity: 77, voltage: 320...408, consumption: 17, charger: 11)
    )

    /// All models.
    package static let all: [VehicleModel] = [
        .combustion, .mildHybrid, .hybrid, .plugIn, .electric, .electricLeaf, .electric29Bit,
    ]

    private static let engineECUs = [ECU.engine, .transmission, .brakes].map { OBDECU(ecu: $0, isOptional: true) }

    /// Live data and codes: neither tests nor vehicle information.
    private static let electricServices: Set<Service> = [
        .currentData, .freezeFrame, .confirmedCodes, .pendingCodes, .permanentCodes, .clearCodes,
    ]
}
