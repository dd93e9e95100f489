// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// One of the things that real adapters do wrong, by the number that documentation and tests call it.
package struct Quirk: Hashable, Sendable {
    /// Who can show it.
    package enum Place: Hashable, Sendable {
        /// The simulated adapter, in its replies.
        case adapter
        /// The bus or the vehicle behind a flawless adapter.
        case vehicle
        /// What lies between the adapter and us: Bluetooth, the power supply.
        case link
    }

    package let number: Int
    /// What the adapter does.
    package let summary: String
    package let place: Place

    private init(_ number: Int, _ summary: String, _ place: Place = .adapter) {
        self.number = number
        self.summary = summary
        self.place = place
    }

    /// All that are known.
    package static let all: [Quirk] = [
        Quirk(1, "AT Z and AT E0 are answered without a prompt, which comes with the next answer"),
        Quirk(2, "The echo stays on, although AT E0 was accepted"),
        Quirk(3, "The echo and a byte of garbage stand in front of the banner"),
        Quirk(4, "NUL bytes between the characters"),
        Quirk(5, "Two carriage returns and a line feed end each line"),
        Quirk(6, "The prompt takes the place of the last character of a voltage"),
        Quirk(7, "Requests stall; the answer to one that was stopped comes after its prompt"),
        Quirk(8, "A bare carriage return repeats the last command, clearing included"),
        Quirk(9, "The first byte after a second of rest is lost"),
        Quirk(10, "Commands of the claimed version are not known: S0, FC…, CEA, CRA, BD, AMC, CSM, CTM, CER, CFC"),
        Quirk(11, "AT TP A0 freezes it"),
        Quirk(12, "AT SP is accepted with more text around the OK"),
        Quirk(13, "It calls itself v2.1 and knows the commands of v1.2"),
        Quirk(14, "Every AT command is answered with OK, and hardly one has an effect"),
        Quirk(15, "Now and then a valid request is answered with ?"),
        Quirk(16, "AT Z breaks the link"),
        Quirk(17, "AT DPN tells A0, whatever was found"),
        Quirk(18, "AT AT2 waits so shortly that every answer comes too late"),
        Quirk(19, "Its banner is another's: VENDOR OPTION/MODE"),
        Quirk(20, "The dots of SEARCHING trickle in, and the data follow on the same line"),
        Quirk(21, "BUS INIT is spelled BUSINIT, without colon", .adapter),
        Quirk(22, "The data follow BUS INIT: OK on the same line"),
        Quirk(23, "UNABLE TO CONNECT is cut to NABLETO"),
        Quirk(24, "A search without success ends with CAN ERROR, NO DATA or BUS INIT: ERROR"),
        Quirk(25, "Errors of every spelling: STOPPED, BUFFER FULL, BUS ERROR, <RX ERROR, ERR93, LP ALERT …"),
        Quirk(26, "LV RESET: the supply dropped, and all settings are lost"),
        Quirk(27, "A Bluetooth module chatters: +CONNECTING<<00:0D:18:00:00:01"),
        Quirk(28, "Spaces stay, although AT S0 was accepted"),
        Quirk(29, "A 29-bit identifier is printed without spaces, the data with them"),
        Quirk(30, "The last digit of a line is lost"),
        Quirk(31, "Frames are padded with AA", .vehicle),
        Quirk(32, "The same frame twice, or two ECUs' frames on one line"),
        Quirk(33, "AT H1 is accepted and has no effect: long messages come as numbered lines"),
        Quirk(34, "Only the first frame arrives, until flow control is asked for"),
        Quirk(35, "Another ECU's frames stand between those of a long message", .vehicle),
        Quirk(36, "What is longer than 100 characters ends with BUFFER FULL"),
        Quirk(37, "A bus older than CAN: no count in front of the codes, and padding behind them", .vehicle),
        Quirk(38, "Two ECUs answer that they have no codes", .vehicle),
        Quirk(39, "A digit is damaged on the way from the adapter; the checksum tells"),
        Quirk(40, "The answer to the request before comes late, with the right one or in its place"),
        Quirk(41, "Negative answers of every kind, and then none to anything until a reset", .vehicle),
        Quirk(42, "Values of all ones", .vehicle),
        Quirk(43, "The voltage is echoed, or 0.0"),
        Quirk(44, "The voltage is 0.7 V too high"),
        Quirk(45, "The voltage is 4.1 V now and then"),
        Quirk(46, "A phone holds the adapter, which then is not advertised", .link),
        Quirk(47, "Serial services of many UUIDs", .link),
        Quirk(48, "Replies come in pieces of 20 bytes", .link),
        Quirk(49, "What is beyond 20 bytes of one write is lost", .link),
        Quirk(50, "After an ATT error the known device can't be connected to any more", .link),
        Quirk(51, "The serial port is on RFCOMM channel 2, and channel 1 drops", .link),
        Quirk(52, "The second connection fails until the adapter is plugged in anew", .link),
        Quirk(53, "It sleeps after 30 minutes, and does not wake", .link),
        Quirk(54, "It is powered while the vehicle is parked", .link),
    ]

    /// The numbers of those that a ``SimulatedAdapter`` can have.
    package static let simulated = Set(Self.all.map(\.number)).subtracting([46, 47, 50, 51, 52, 54])
}
