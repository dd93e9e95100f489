// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327

extension RecordedDialogue {
    /// Vehicles with 29-bit identifiers.
    static let can29: [RecordedDialogue] = [
        // Four ECUs. Their answers to another tester are among the frames.
        .init(
            "brendan-w/python-OBD#254",
            .can29at500,
            "0100",
            "SEARCHING...\r18 DA F1 40 06 41 00 80 00 00 01 \r18 DA F1 11 06 41 00 BF DF A8 93 \r"
                + "18 DA F1 28 06 41 00 80 00 00 01 \r18 DA F1 18 06 41 00 80 00 00 01 \r18 DA F1 11 03 41 0D 00 \r"
                + "18 DA F1 11 03 41 11 26 \r\r>",
            reads: [
                "18DAF111 01 03 04 05 06 07 08 09 0A 0C 0D 0E 0F 10 11 13 15 19 1C 1F 20",
                "18DAF118 01 20",
                "18DAF128 01 20",
                "18DAF140 01 20",
            ]
        ),
        .init(
            "brendan-w/python-OBD#254",
            .can29at500,
            "07",
            "18 DA F1 11 04 41 0C 17 10 \r18 DA F1 28 02 47 00 \r18 DA F1 18 02 47 00 \r18 DA F1 40 02 47 00 \r"
                + "18 DA F1 11 06 47 02 22 6D 22 6E \r18 DA F1 11 03 41 0D 00 \r18 DA F1 11 03 41 11 48 \r\r>",
            reads: ["18DAF111 P226D P226E", "18DAF118 none", "18DAF128 none", "18DAF140 none"]
        ),
        .init(
            "brendan-w/python-OBD#254",
            .can29at500,
            "07",
            "18 DA F1 40 02 47 00 \r18 DA F1 11 06 47 02 22 6D 22 6E \r\r>",
            reads: ["18DAF111 P226D P226E", "18DAF140 none"]
        ),
        // Padding of 55, and no empty line before the prompt.
        .init(
            "brendan-w/python-OBD#257",
            .can29at500,
            "0100",
            "18 DA F1 1D 06 41 00 98 3A 80 01 55\r18 DA F1 11 06 41 00 BE 3F A8 13 55\r>",
            reads: [
                "18DAF111 01 03 04 05 06 07 0B 0C 0D 0E 0F 10 11 13 15 1C 1F 20",
                "18DAF11D 01 04 05 0B 0C 0D 0F 11 20",
            ]
        ),
        .init(
            "brendan-w/python-OBD#257",
            .can29at500,
            "0120",
            "18 DA F1 11 06 41 20 80 1D B0 11 55\r18 DA F1 1D 06 41 20 80 00 A0 01 55\r>",
            reads: ["18DAF111 21 2C 2D 2E 30 31 33 34 3C 40", "18DAF11D 21 31 33 40"]
        ),
        .init(
            "brendan-w/python-OBD#257",
            .can29at500,
            "0140",
            "18 DA F1 11 06 41 40 7A D0 00 00 55\r18 DA F1 1D 06 41 40 CA C0 00 00 55\r>",
            reads: ["18DAF111 42 43 44 45 47 49 4A 4C", "18DAF11D 41 42 45 47 49 4A"]
        ),
        .init(
            "brendan-w/python-OBD#257",
            .can29at500,
            "0600",
            "18 DA F1 11 06 46 00 C0 00 00 01 55\r>",
            reads: ["18DAF111 C0 00 00 01"]
        ),
        .init(
            "brendan-w/python-OBD#257",
            .can29at500,
            "06A0",
            "18 DA F1 11 06 46 A0 78 00 00 00 55\r>",
            reads: ["18DAF111 78 00 00 00"]
        ),
    ]
}
