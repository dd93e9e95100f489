// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// ECUs of electric vehicles and hybrids.
///
/// Addresses, identifiers and the places of the values are those that the OBDb project (github.com/OBDb) has recorded
/// or lists for these makes. Only the VIN in `22 F1 90` and `21 81` is not from there.
extension SideECU {
    /// ECUs as Hyundai and Kia answer: Niro EV, IONIQ 5.
    static let hyundai: [SideECU] = [
        SideECU(
            name: "battery",
            standard: Address(request: 0x7E4, reply: 0x7EC),
            extended: nil,
            reportsCharge: true,
            answers: [Self.hyundaiBattery, Self.hyundaiHealth, .vin()]
        ),
        SideECU(
            name: "charger",
            standard: Address(request: 0x744, reply: 0x74C),
            extended: nil,
            needsFlowControl: false,
            reportsCharge: true,
            answers: [Self.hyundaiCharger, Self.hyundaiInlet]
        ),
        SideECU(
            name: "drive",
            standard: Address(request: 0x7E2, reply: 0x7EA),
            extended: nil,
            answers: [
                Answer(
                    [0x22, 0xE0, 0x04],
                    length: 31,
                    head: [0xFC, 0, 0, 0, 0, 0x06, 0x0A, 0x03],
                    .little(8) { max(0, $0.motorPower) * 512 },
                    .little(10, isSigned: true) { $0.vehicleSpeed * 64 },
                    .little(12) { $0.voltage * 10_000 / 4.883 }
                ), .vin(),
            ]
        ),
        SideECU(
            name: "cluster",
            standard: Address(request: 0x7C6, reply: 0x7CE),
            extended: nil,
            answers: [
                Answer(
                    [0x22, 0xB0, 0x02],
                    length: 12,
                    head: [0xE0, 0, 0, 0, 0xFF, 0xB0],
                    .unsigned(6, 3) { $0.odometer.rounded(.down) }
                )
            ]
        ),
        .tires,
    ]

    /// The state of the traction battery: 59 bytes, so nine frames.
    private static let hyundaiBattery = Answer(
        [0x22, 0x01, 0x01],
        length: 59,
        head: [0xFF, 0xF7, 0xE7, 0xFF],
        .unsigned(4, 1) { $0.stateOfCharge * 2 },
        .flags(9, (0x80, { $0.charging }), (0x20, { $0.pluggedIn }), (0x03, { $0.ready || $0.charging })),
        .signed(10, 2) { $0.tractionCurrent * 10 },
        .unsigned(12, 2) { $0.tractionVoltage * 10 },
        .signed(14, 1) { $0.tractionTemperature + 1 },
        .signed(15, 1) { $0.tractionTemperature },
        .signed(16, 1) { $0.tractionTemperature },
        .signed(22, 1) { $0.tractionTemperature - 2 },
        .unsigned(23, 1) { $0.tractionVoltage / 98 * 50 + 1 },
        .unsigned(25, 1) { $0.tractionVoltage / 98 * 50 },
        .unsigned(29, 1) { $0.voltage * 10 },
        .unsigned(46, 4) { 13_769_374 + $0.odometer },
        .flags(50, base: 0x01, (0x08, { $0.ready || $0.charging }), (0x04, { $0.ready })),
        .unsigned(51, 2) { $0.ready || $0.charging ? $0.tractionVoltage : 0 },
        .signed(53, 2) { $0.motorSpeed },
        .signed(55, 2) { $0.motorSpeed },
        .unsigned(57, 2) { _ in 1000 }
    )

    private static let hyundaiHealth = Answer(
        [0x22, 0x01, 0x05],
        length: 43,
        head: [0x00, 0x3F, 0xFF, 0x90],
        .unsigned(25, 2) { $0.stateOfHealth * 10 },
        .unsigned(31, 1) { $0.stateOfCharge * 2 }
    )

    private static let hyundaiCharger = Answer(
        [0x22, 0xE0, 0x01],
        length: 36,
        head: [0xFF, 0xFF, 0xFF, 0xC0],
        .unsigned(11, 2) { $0.voltage * 100 },
        .flags(17, base: 0x01, (0x04, { $0.charging })),
        .unsigned(23, 2) { $0.chargerPower * 1000 / 230 * 10 },
        .unsigned(28, 2) { $0.charging ? ($0.chargerPower * 1000 + 50) / 10 : 0 }
    )

    private static let hyundaiInlet = Answer(
        [0x22, 0xE0, 0x04],
        length: 22,
        head: [0xFF, 0xFF, 0x80],
        .flags(4, (0x02, { $0.pluggedIn }), (0x04, { $0.ready || $0.charging }))
    )

    /// ECUs as the Nissan Leaf answers: no service 01, and each long answer needs the client's flow control.
    static let leaf: [SideECU] = [
        SideECU(
            name: "battery",
            standard: Address(request: 0x79B, reply: 0x7BB),
            extended: nil,
            needsFlowControl: true,
            reportsCharge: true,
            answers: [
                Answer(
                    [0x21, 0x01],
                    length: 39,
                    head: [0, 0, 0, 0, 0x02, 0x88, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF],
                    .unsigned(18, 2) { $0.tractionVoltage * 100 },
                    .unsigned(31, 3) { ($0.stateOfCharge + 17) * 8190 },
                    .unsigned(35, 3) { $0.stateOfHealth / 100 * 115 * 10_000 }
                ),
                Answer([0x21, 0x61], length: 10, .unsigned(2, 2) { $0.stateOfHealth * 100 }),
            ]
        ),
        SideECU(
            name: "drive",
            standard: Address(request: 0x797, reply: 0x79A),
            extended: nil,
            needsFlowControl: true,
            reportsCharge: true,
            answers: [
                Answer([0x22, 0x11, 0x03], length: 1, .unsigned(0, 1) { $0.voltage * 12.5 }),
                Answer([0x22, 0x11, 0x46], length: 2, .unsigned(0, 2) { max(0, $0.motorPower) * 25 }),
                Answer([0x22, 0x11, 0x4E], length: 1, .unsigned(0, 1) { $0.charging ? 2 : 0 }),
                Answer([0x22, 0x12, 0x1A], length: 2, .unsigned(0, 2) { $0.vehicleSpeed * 10 }),
                Answer([0x22, 0x12, 0x34], length: 1, .unsigned(0, 1) { $0.pluggedIn ? 2 : 0 }),
                Answer([0x22, 0x12, 0x36], length: 2, .unsigned(0, 2) { $0.chargerPower * 10 }),
                Answer([0x22, 0x13, 0x04], length: 2, head: [0, 0xBC], .flags(0, (0x80, { $0.ready }))),
                .vin([0x21, 0x81]),
            ]
        ),
        SideECU(
            name: "cluster",
            standard: Address(request: 0x743, reply: 0x763),
            extended: nil,
            needsFlowControl: true,
            answers: [
                Answer([0x22, 0x0E, 0x01], length: 3, .unsigned(0, 3) { $0.odometer.rounded(.down) }),
                Answer([0x22, 0x0E, 0x2E], length: 2, .unsigned(0, 2) { $0.range }),
            ]
        ),
    ]

    /// ECUs as Volkswagen's ID.4 answers, with 29-bit identifiers of priority 17.
    static let volkswagen: [SideECU] = [
        SideECU(
            name: "battery",
            standard: nil,
            extended: Address(request: 0x17FC_007B, reply: 0x17FE_007B),
            needsFlowControl: true,
            reportsCharge: true,
            answers: [
                Answer([0x22, 0x02, 0x8C], length: 1, .unsigned(0, 1) { ($0.stateOfCharge + 6.4) * 46 / 20.4 }),
                Answer([0x22, 0x74, 0x48], length: 1, .flags(0, (0x04, { $0.charging }), (0x01, { $0.ready }))),
                Answer([0x22, 0x1E, 0x3B], length: 2, .unsigned(0, 2) { $0.tractionVoltage * 4 }),
                Answer([0x22, 0x2A, 0x0B], length: 1, .unsigned(0, 1) { ($0.tractionTemperature + 40) * 2 }),
                Answer([0x22, 0x1E, 0x0E], length: 4, .signed(0, 2) { $0.tractionTemperature * 64 }),
                Answer([0x22, 0xF4, 0x0D], length: 1, .unsigned(0, 1) { $0.vehicleSpeed }),
                .vin(),
            ]
        ),
        SideECU(
            name: "gateway",
            standard: nil,
            extended: Address(request: 0x17FC_0076, reply: 0x17FE_0076),
            needsFlowControl: true,
            answers: [
                Answer([0x22, 0x29, 0x5A], length: 3, .unsigned(0, 3) { $0.odometer.rounded(.down) }),
                Answer([0x22, 0x3D, 0xEF], length: 2, .signed(0, 2) { $0.stateOfCharge * 100 }),
                .vin(),
            ]
        ),
        SideECU(
            name: "converter",
            standard: nil,
            extended: Address(request: 0x17FC_00B9, reply: 0x17FE_00B9),
            needsFlowControl: true,
            reportsCharge: true,
            answers: [Answer([0x22, 0x46, 0x5D], length: 2, .unsigned(0, 2) { $0.voltage * 512 })]
        ),
    ]

    /// ECUs as BMW's plug-in hybrids answer, with an address before the data.
    static let bmw: [SideECU] = [
        SideECU(
            name: "battery",
            standard: Address(request: 0x6F1, reply: 0x607, prefix: (0x07, 0xF1)),
            extended: nil,
            reportsCharge: true,
            answers: [
                Answer([0x22, 0xDD, 0xBC], length: 2, .unsigned(0, 2) { $0.stateOfCharge * 10 }),
                Answer([0x22, 0xDD, 0x68], length: 2, .unsigned(0, 2) { $0.tractionVoltage * 100 }),
                Answer([0x22, 0xDD, 0x69], length: 4, .signed(0, 4) { $0.tractionCurrent * 100 }),
                Answer(
                    [0x22, 0xDD, 0xC0],
                    length: 4,
                    .signed(0, 2) { $0.tractionTemperature * 100 },
                    .signed(2, 2) { $0.tractionTemperature * 100 + 80 }
                ),
                Answer([0x22, 0x63, 0x35], length: 4, .unsigned(3, 1) { $0.stateOfHealth }),
                .vin(),
            ]
        ),
        SideECU(
            name: "drive",
            standard: Address(request: 0x6F1, reply: 0x61A, prefix: (0x1A, 0xF1)),
            extended: nil,
            reportsCharge: true,
            answers: [
                Answer(
                    [0x22, 0xDE, 0x00],
                    length: 6,
                    .flags(3, (1, { $0.pluggedIn })),
                    .flags(4, (1, { $0.charging })),
                    .flags(5, (1, { $0.ready }))
                ), .vin(),
            ]
        ),
    ]

    /// The ECU of the traction battery as Ford's hybrids answer.
    static let ford: [SideECU] = [
        SideECU(
            name: "battery",
            standard: Address(request: 0x7E4, reply: 0x7EC),
            extended: nil,
            answers: [Answer([0x22, 0x48, 0x01], length: 2, .unsigned(0, 2) { $0.stateOfCharge * 500 })]
        )
    ]
}
