// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327

extension RecordedDialogue {
    /// Vehicles with SAE J1850: PWM and VPW.
    static let j1850: [RecordedDialogue] = [
        .init(
            "mickeyl/LTSupportAutomotive LTOBD2ProtocolSAEJ1850.m",
            .j1850PWM,
            "0100",
            "41 6B 10 41 00 B8 7B 30 10 9E \r41 6B 17 41 00 80 00 80 03 C9 \r\r>",
            reads: ["10 01 03 04 05 0A 0B 0C 0D 0F 10 13 14 1C", "17 01 11 1F 20"]
        ),
        .init(
            "mickeyl/LTSupportAutomotive LTOBD2ProtocolSAEJ1850.m",
            .j1850VPW,
            "0100",
            "48 6B 10 41 00 B8 7B 30 10 F4 \r48 6B 17 41 00 80 00 80 03 A3 \r\r>",
            reads: ["10 01 03 04 05 0A 0B 0C 0D 0F 10 13 14 1C", "17 01 11 1F 20"]
        ),
        .init(
            "mickeyl/LTSupportAutomotive LTOBD2ProtocolSAEJ1850.m",
            .j1850VPW,
            "0902",
            "48 6B 10 49 02 01 00 00 00 57 B3 \r48 6B 10 49 02 02 44 58 2D 53 99 \r"
                + "48 6B 10 49 02 03 49 4D 30 30 11 \r48 6B 10 49 02 04 31 39 32 31 B6 \r"
                + "48 6B 10 49 02 05 32 33 34 35 A8 \r\r>",
            reads: ["10 has an invalid VIN"]
        ),
        .init(
            "scorpionfeng/adten ObdManger.kt",
            .j1850VPW,
            "0101",
            "48 6B 10 41 01 00 07 E1 E1 A3 \r\r>",
            reads: ["10 MIL off, 0 codes, 7 monitors, 4 incomplete"]
        ),
        .init(
            "scorpionfeng/adten ObdManger.kt",
            .j1850PWM,
            "07",
            "41 6B 10 47 01 93 12 33 00 00 0C \r\r>",
            reads: ["10 P0193 P1233"]
        ),
        .init(
            "scorpionfeng/adten ObdManger.kt",
            .j1850PWM,
            "0902",
            "41 6B 10 49 02 01 FF FF FF FF 55 \r\r>",
            reads: ["10: the ECU has no value"]
        ),
        .init(
            "scorpionfeng/adten FreezeListActivity.kt",
            .j1850PWM,
            "020000",
            "41 6B 10 42 00 00 7E 58 00 00 D1 \r\r>",
            reads: ["10 7E 58 00 00"]
        ),
    ]
}
