// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// ECUs of the combustion model, one for each kind of addressing.
extension SideECU {
    /// The ECU of the traction battery, with an OBD address.
    ///
    /// `22 01 01` has charge, current and temperature.
    static let battery = SideECU(
        name: "battery",
        standard: Address(request: 0x7E4, reply: 0x7EC),
        extended: Address(request: 0x18DA_40F1, reply: 0x18DA_F140),
        refusal: 0x31,
        answers: [
            Answer(
                request: [0x22, 0x01, 0x01],
                data: [0xEF, 0xFB, 0xE7, 0xEF, 0, 0, 0, 0] + [UInt8](repeating: 0x55, count: 12),
                fields: [
                    .unsigned(4, 1) { $0.fuelLevel * 2 }, .signed(5, 2) { $0.engineLoad * 20 - 600 },
                    .signed(7, 1) { $0.coolant - 70 },
                ]
            )
        ]
    )

    /// The ECU of the tire pressure sensors, outside the OBD addresses.
    ///
    /// `22 C0 0B` has four pressures.
    static let tires = SideECU(
        name: "tires",
        standard: Address(request: 0x7A0, reply: 0x7A8),
        extended: Address(request: 0x18DA_C0F1, reply: 0x18DA_F1C0),
        refusal: 0x31,
        answers: [
            Answer(
                request: [0x22, 0xC0, 0x0B],
                data: [0xFF, 0xFF] + (0..<4).flatMap { _ in [0, 0x20, 0x00] as [UInt8] },
                fields: (0..<4).map { index in
                    .unsigned(2 + 3 * index, 1) { Double(44 + index) + ($0.vehicleSpeed / 20).rounded(.down) }
                }
            )
        ]
    )

    /// An ECU behind a gateway that expects an address before the data on 11-bit CAN.
    ///
    /// `22 DD BC` has the charge. `21 30` has a long answer that ends with the engine speed.
    static let gateway = SideECU(
        name: "gateway",
        standard: Address(request: 0x6F1, reply: 0x607, prefix: (0x07, 0xF1)),
        extended: Address(request: 0x17FC_0076, reply: 0x17FE_0076),
        refusal: 0x31,
        answers: [
            Answer([0x22, 0xDD, 0xBC], length: 2, .unsigned(0, 2) { $0.fuelLevel * 10 }),
            Answer(
                request: [0x21, 0x30],
                data: [UInt8](repeating: 0xA5, count: 20) + [0, 0],
                fields: [.unsigned(20, 2) { $0.engineSpeed }]
            ),
        ]
    )
}
