// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327

extension RecordedDialogue {
    /// Replies that hold a text of the adapter instead of a frame.
    static let adapterTexts: [RecordedDialogue] = [
        // The adapter prints the reason after the question mark.
        .init(
            "brendan-w/python-OBD#108",
            .can11at500,
            "010D",
            "\r?WRONG HEXCHAR COUNT\r>",
            reads: ["unusable: ?"]
        ),
        .init(
            "brendan-w/python-OBD#135",
            .can11at500,
            "0100",
            "SEARCHING...\rUNABLE TO CONNECT\r\r>",
            reads: ["bus unavailable: UNABLE TO CONNECT"]
        ),
        .init(
            "brendan-w/python-OBD#135",
            .can11at500,
            "0100",
            "CAN ERROR\r\r>",
            reads: ["bus unavailable: BUS ERROR"]
        ),
        .init(
            "brendan-w/python-OBD#51",
            .can11at500,
            "0100",
            "NO DATA\r\r>",
            reads: ["no data"]
        ),
        // The echo precedes the text on the same line.
        .init(
            "peterh/pyobd#7",
            .can11at500,
            "0100",
            "0100CAN ERROR\r\r>",
            reads: ["bus unavailable: BUS ERROR"]
        ),
        .init(
            "humitos/obd2lib#15",
            .iso9141,
            "0101",
            "0101\rSTOPPED\r\r>",
            reads: ["unusable: STOPPED"]
        ),
        .init(
            "humitos/obd2lib#15",
            .iso9141,
            "0101",
            "0101\rERR93\r\r>",
            reads: ["the adapter restarted"]
        ),
        .init(
            "lemberg/obd2-swift-lib#11",
            .iso9141,
            "0100",
            "BUS INIT: ...ERROR\r\r>",
            reads: ["bus unavailable: BUS INIT: ERROR"]
        ),
        .init(
            "meatpiHQ/wican-fw#298",
            .iso9141,
            "0100",
            "BUS INIT: ERROR\r\r>",
            reads: ["bus unavailable: BUS INIT: ERROR"]
        ),
        .init(
            "Ircama/ELM327-emulator elm/obd_message.py",
            .iso9141,
            "0100",
            "BUS INIT:ERROR\r\r>",
            reads: ["bus unavailable: BUS INIT: ERROR"]
        ),
        .init(
            "collin80/due_can#46",
            .can11at500,
            "0100",
            "BUFFER FULL\r\r>",
            reads: ["unusable: BUFFER FULL"]
        ),
        // Without a receive filter, the adapter prints all frames on the bus.
        .init(
            "mp3car.com thread 145823",
            .can11at500,
            "0100",
            "231 00 <DATA ERROR\r3E9 00 <DATA ERROR\r4B0 27 10 27 10 27 10 27 10\r200 27 61 26 F7 27 60 80 00\r"
                + "205 00 <DATA ERROR\r\r>",
            reads: ["unusable: DATA ERROR"]
        ),
        .init(
            "PowerBroker2/ELMduino#195",
            .can11at500,
            "010C",
            "NODATAC\r\r>",
            reads: ["no data"]
        ),
    ]
}
