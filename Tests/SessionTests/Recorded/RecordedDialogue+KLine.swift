// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327

extension RecordedDialogue {
    /// Vehicles with a K-line: ISO 14230-4 (KWP) and ISO 9141-2.
    static let kLine: [RecordedDialogue] = [
        .init(
            "brendan-w/python-OBD#81",
            .kwpFast,
            "0100",
            "SEARCHING...\r86 F1 7A 41 00 00 00 00 00 32 \r\r>",
            reads: ["7A none"]
        ),
        .init(
            "brendan-w/python-OBD#180",
            .kwpFast,
            "0100",
            "SEARCHING...\r83 F1 10 7F 01 11 15 \r\r>",
            reads: ["10 refuses with 11"]
        ),
        // An adapter that leaves out the checksum. Nothing proves such a frame, so it is not read.
        .init(
            "brendan-w/python-OBD#132",
            .kwpFast,
            "0100",
            "86F1104100BE3EB811\r\r>",
            reads: ["unusable"]
        ),
        .init(
            "brendan-w/python-OBD#132",
            .kwpFast,
            "0103",
            "84F11041030200\r\r>",
            reads: ["unusable"]
        ),
        .init(
            "humitos/obd2lib README",
            .kwpFast,
            "0100",
            "86 F1 10 41 00 BE 3E B0 11 85 \r\r>",
            reads: ["10 01 03 04 05 06 07 0B 0C 0D 0E 0F 11 13 14 1C 20"]
        ),
        .init(
            "meatpiHQ/wican-fw#424",
            .kwpFast,
            "0100",
            "SEARCHING...\r86F1124100983B2013D0\r\r>",
            reads: ["12 01 04 05 0B 0C 0D 0F 10 13 1C 1F 20"]
        ),
        .init(
            "meatpiHQ/wican-fw#424",
            .kwpFast,
            "0120",
            "86F1124120B001A0013C\r\r>",
            reads: ["12 21 23 24 30 31 33 40"]
        ),
        .init(
            "meatpiHQ/wican-fw#424",
            .kwpFast,
            "0140",
            "86F1124140400000004A\r\r>",
            reads: ["12 42"]
        ),
        .init(
            "fenugrec/freediag#1",
            .kwpFast,
            "010B",
            "83 F1 12 41 0B 64 36 \r\r>",
            reads: ["12 no value yet"]
        ),
        .init(
            "fenugrec/freediag#1",
            .kwpFast,
            "011C",
            "83 F1 12 41 1C 06 E9 \r\r>",
            reads: ["12 obd_standard 6"]
        ),
        .init(
            "iwanders/OBD9141#11",
            .kwpFast,
            "0111",
            "83 F1 11 41 11 21 F8 \r\r>",
            reads: ["11 throttle_position 12.941176470588236"]
        ),
        .init(
            "iwanders/OBD9141#11",
            .kwpFast,
            "010C",
            "84 F1 11 41 0C 09 D1 AD \r\r>",
            reads: ["11 engine_speed 628.25"]
        ),
        .init(
            "iwanders/OBD9141#11",
            .kwpFast,
            "010D",
            "83 F1 11 41 0D 00 D3 \r\r>",
            reads: ["11 vehicle_speed 0.0"]
        ),
        .init(
            "iwanders/OBD9141#41",
            .kwp5Baud,
            "0111",
            "83 F1 10 41 11 F0 C6 \r\r>",
            reads: ["10 throttle_position 94.11764705882354"]
        ),
        // A header with a length byte of its own.
        .init(
            "iwanders/OBD9141#32",
            .kwpFast,
            "81",
            "80 F1 10 03 C1 EA 8F BE \r\r>",
            reads: ["10 C1 EA 8F"]
        ),
        .init(
            "nefariousmotorsports.com topic 22403",
            .kwpFast,
            "1800FFFF",
            to: .legacy(0x82, 0x11),
            "80F111037F18223E\r\r>",
            reads: ["11 refuses with 22"]
        ),
        .init(
            "nefariousmotorsports.com topic 22403",
            .kwpFast,
            "18FF00",
            to: .legacy(0x82, 0x11),
            "80F111037F18122E\r\r>",
            reads: ["11 refuses with 12"]
        ),
        // 43 bytes in one frame.
        .init(
            "nefariousmotorsports.com topic 22403",
            .kwpFast,
            "2101",
            to: .legacy(0x82, 0x11),
            "80F1112B610106034028056062000079FFFF4600000000FF00B946818EE6E27C4B008000000144041800060000810008\r\r>",
            reads: [
                "11 61 01 06 03 40 28 05 60 62 00 00 79 FF FF 46 00 00 00 00 FF 00 B9 46 81 8E E6 E2 7C 4B "
                    + "00 80 00 00 01 44 04 18 00 06 00 00 81 00"
            ]
        ),
        // 48 bytes, with the length in the format byte.
        .init(
            "PowerBroker2/ELMduino#45",
            .kwpFast,
            "2101",
            to: .legacy(0x82, 0x11),
            "B0F1116101030505200340207C906A563E6775177E0A000000001C00003360315A64C57C127900008C0000838C88107E"
                + "00000044\r\r>",
            reads: [
                "11 61 01 03 05 05 20 03 40 20 7C 90 6A 56 3E 67 75 17 7E 0A 00 00 00 00 1C 00 00 33 60 31 "
                    + "5A 64 C5 7C 12 79 00 00 8C 00 00 83 8C 88 10 7E 00 00 00"
            ]
        ),
        // A frame to another tester than ours.
        .init(
            "fenugrec/freediag#97",
            .kwpFast,
            "AE11",
            "87 13 7A EE 11 51 0D 14 00 85 \r\r>",
            reads: ["unusable"]
        ),
        .init(
            "mickeyl/LTSupportAutomotive LTOBD2ProtocolISO14230_4.m",
            .kwpFast,
            "0100",
            "86 F1 10 41 00 B8 7B 30 10 3B \r86 F1 17 41 00 80 00 80 03 D2 \r\r>",
            reads: ["10 01 03 04 05 0A 0B 0C 0D 0F 10 13 14 1C", "17 01 11 1F 20"]
        ),
        .init(
            "mickeyl/LTSupportAutomotive LTOBD2ProtocolISO14230_4.m",
            .kwpFast,
            "0100",
            "83 F1 10 7F 01 12 16 \r83 F1 17 7F 01 12 1D \r\r>",
            reads: ["10 refuses with 12", "17 refuses with 12"]
        ),
        // The number of a simulator, WDX-SIM0019212345, which no vehicle can have.
        .init(
            "mickeyl/LTSupportAutomotive LTOBD2ProtocolISO14230_4.m",
            .kwpFast,
            "0902",
            "87 F1 10 49 02 01 00 00 00 57 2B \r87 F1 10 49 02 02 44 58 2D 53 F1 \r"
                + "87 F1 10 49 02 03 49 4D 30 30 CC \r87 F1 10 49 02 04 31 39 32 31 A4 \r"
                + "87 F1 10 49 02 05 32 33 34 35 A6 \r\r>",
            reads: ["10 has an invalid VIN"]
        ),
        .init(
            "brendan-w/python-OBD#153",
            .iso9141,
            "0100",
            "BUS INIT: OK\r48 6B 11 41 00 BE 1F B8 10 AA \r\r>",
            reads: ["11 01 03 04 05 06 07 0C 0D 0E 0F 10 11 13 14 15 1C"]
        ),
        .init(
            "brendan-w/python-OBD#153",
            .iso9141,
            "0100",
            "48 6B 13 41 00 BE 1F B8 11 AD \r\r\r>",
            reads: ["13 01 03 04 05 06 07 0C 0D 0E 0F 10 11 13 14 15 1C 20"]
        ),
        // Dots of the search before the data.
        .init(
            "mickeyl/LTSupportAutomotive#8",
            .iso9141,
            "0100",
            "SEARCHING...\r...48 6B 1A 41 00 88 18 00 10 BE\r\r>",
            reads: ["1A 01 05 0C 0D 1C"]
        ),
        .init(
            "humitos/obd2lib README",
            .iso9141,
            "010F",
            "48 6B 10 41 0F 63 76 \r\r>",
            reads: ["10 intake_air_temperature 59.0"]
        ),
        .init(
            "humitos/obd2lib README",
            .iso9141,
            "0105",
            "48 6B 10 41 05 37 40 \r\r>",
            reads: ["10 coolant_temperature 15.0"]
        ),
        .init(
            "humitos/obd2lib README",
            .iso9141,
            "010E",
            "48 6B 10 41 0E 63 75 \r\r>",
            reads: ["10 timing_advance -14.5"]
        ),
        .init(
            "iwanders/OBD9141#9",
            .iso9141,
            "03",
            "48 6B 01 43 01 13 00 00 00 00 0B \r\r>",
            reads: ["01 P0113"]
        ),
        .init(
            "mickeyl/LTSupportAutomotive LTOBD2ProtocolISO9141_2.m",
            .iso9141,
            "0100",
            "48 6B 10 41 00 B8 7B 30 10 77 \r48 6B 17 41 00 80 00 80 03 0E \r\r>",
            reads: ["10 01 03 04 05 0A 0B 0C 0D 0F 10 13 14 1C", "17 01 11 1F 20"]
        ),
        .init(
            "mickeyl/LTSupportAutomotive LTOBD2ProtocolISO9141_2.m",
            .iso9141,
            "0902",
            "48 6B 10 49 02 01 00 00 00 57 66 \r48 6B 10 49 02 02 44 58 2D 53 2C \r"
                + "48 6B 10 49 02 03 49 4D 30 30 07 \r48 6B 10 49 02 04 31 39 32 31 DF \r"
                + "48 6B 10 49 02 05 32 33 34 35 E1 \r\r>",
            reads: ["10 has an invalid VIN"]
        ),
    ]
}
