// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327

extension RecordedDialogue {
    /// Replies of adapters without headers, which do not say which ECU has sent them: none is read.
    static let withoutHeaders: [RecordedDialogue] = [
        .init(
            "BirchJD/PiOBDII#4",
            .can11at500,
            "0101",
            "410100040000\r410100000000\r\r\r>",
            reads: ["unusable"]
        ),
        .init(
            "BirchJD/PiOBDII#15",
            .can11at500,
            "0100",
            "41 00 BE 3E A8 13 \r41 00 88 18 00 11 \r\r\r>",
            reads: ["unusable"]
        ),
        .init(
            "brendan-w/python-OBD#206",
            .can29at500,
            "0100",
            "SEARCHING...\r41 00 BC 3F A8 03 \r41 00 98 3A 80 01 \r\r>",
            reads: ["unusable"]
        ),
        .init(
            "muki01/OBD2_K-line_Reader#11",
            .can11at500,
            "0100",
            "SEARCHING...4100981800014100983BA017410098180011\r\r>",
            reads: ["unusable"]
        ),
        .init(
            "PowerBroker2/ELMduino#279",
            .can11at500,
            "013C",
            "413C0597\r\r>",
            reads: ["unusable"]
        ),
        // The length, and the number of each line.
        .init(
            "PowerBroker2/ELMduino#279",
            .can11at500,
            "017A",
            "009\r0:417A01004600\r1:00000000000000\r\r>",
            reads: ["unusable"]
        ),
        .init(
            "PowerBroker2/ELMduino#195",
            .can11at500,
            "010C",
            "410C0000AAA\r\r>",
            reads: ["unusable"]
        ),
        .init(
            "PowerBroker2/ELMduino#38",
            .can11at500,
            "220101",
            "SEARCHING...\r7F2212\r7F2212\r7F2212\r03E\r0:620101FFF7E7\r1:FF980000000080\r2:00000F2B1F1D1D\r"
                + "3:1D1F1D00001BC6\r4:03C52800007A00\r5:0009FF00000888\r6:000003D0000003\r7:1D000615A30900\r"
                + "8:030000000003E8\r\r>",
            reads: ["unusable"]
        ),
        // Five ECUs, of which none has a name.
        .init(
            "JejuSoul/OBD-PIDs-for-HKMC-EVs#42",
            .can11at500,
            "2105",
            "7F2112\r7F2112\r7F2112\r02D\r0:6105FFFFFFFF\r7F2112\r1:00000000001616\r2:161616161621FA\r"
                + "3:26480001501616\r4:03E82403E80FC0\r5:003A0000000000\r6:00000000000000\r\r>",
            reads: ["unusable"]
        ),
        .init(
            "mp3car.com thread 151401",
            .can11at500,
            "03",
            "00A\r0:430401020113\r1:01230222000000\r\r>",
            reads: ["unusable"]
        ),
        .init(
            "mp3car.com thread 151401",
            .j1850VPW,
            "03",
            "43 01 02 11 20 12 20 \r43 15 14 15 15 00 00 \r\r>",
            reads: ["unusable"]
        ),
        .init(
            "mp3car.com thread 147550",
            .can11at500,
            "03",
            "43 02 01 02 01 13 \r\r>",
            reads: ["unusable"]
        ),
        .init(
            "eltonvs/kotlin-obd-api#30",
            .can11at500,
            "03",
            "4300\r4300\r\r>",
            reads: ["unusable"]
        ),
        .init(
            "mechanics.stackexchange.com 51226",
            .can11at500,
            "03",
            "43 01 01 2C \r\r>",
            reads: ["unusable"]
        ),
        .init(
            "stanleyhuangyc/Freematics#7",
            .kwpFast,
            "010C",
            "BUS INIT: OK\r41 0C 000\r7F 01 12\r\r>",
            reads: ["unusable"]
        ),
        // Formatting is off too (AT CAF0): the length byte is the first.
        .init(
            "cedricp/ddt4all#76",
            .can11at500,
            "0210C0",
            "0210C0\r0250C0FFFFFFFFFF\r\r>",
            reads: ["unusable"]
        ),
        .init(
            "cedricp/ddt4all#257",
            .can11at500,
            "0210C0",
            "0210C0\r7F0211\r\r>",
            reads: ["unusable"]
        ),
    ]
}
