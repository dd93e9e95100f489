// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A fault of real adapters, with the number that documentation and tests use.
package struct Quirk: Hashable, Sendable {
    /// The part of a setup that has the fault.
    package enum Place: Hashable, Sendable {
        /// The simulated adapter, in its replies.
        case adapter
        /// The bus or the vehicle behind a flawless adapter.
        case vehicle
        /// The connection of the adapter: Bluetooth and the power supply.
        case link
    }

    package let number: Int
    /// A one-line description of the fault.
    package let summary: String
    package let place: Place

    private init(_ number: Int, _ summary: String, _ place: Place = .adapter) {
        self.number = number
        self.summary = summary
        self.place = place
    }

    /// All known quirks.
    package static let all: [Quirk] = [
        Quirk(1, "AT Z and AT E0 are answered without a prompt, which comes with the next answer"),
        Quirk(2, "The echo stays on, although AT E0 was accepted"),
        Quirk(3, "The echo and a byte of garbage precede the banner"),
        Quirk(4, "NUL bytes between the characters"),
        Quirk(5, "Each line ends with two carriage returns and a line feed"),
        Quirk(6, "The prompt replaces the last character of a voltage"),
        Quirk(7, "Requests stall; the answer to a stopped request comes after its prompt"),
        Quirk(8, "A bare carriage return repeats the last command, even one that clears codes"),
        Quirk(9, "The first byte after a pause of one second is lost"),
        Quirk(10, "Commands of the claimed version are unknown: S0, FC…, CEA, CRA, BD, AMC, CSM, CTM, CER, CFC"),
        Quirk(11, "AT TP A0 freezes the adapter"),
        Quirk(12, "AT SP is answered with additional text around the OK"),
        Quirk(13, "The adapter claims v2.1 and supports the commands of v1.2 only"),
        Quirk(14, "Every AT command is answered with OK, and almost none has an effect"),
        Quirk(15, "Some valid requests are answered with ?"),
        Quirk(16, "AT Z disconnects the link"),
        Quirk(17, "AT DPN always reports A0"),
        Quirk(18, "The timeout after AT AT2 is shorter than any answer"),
        Quirk(19, "The banner is not that of an ELM327: VENDOR OPTION/MODE"),
        Quirk(20, "The dots of SEARCHING arrive one by one, and the data follow on the same line"),
        Quirk(21, "BUS INIT is spelled BUSINIT, without colon"),
        Quirk(22, "The data follow BUS INIT: OK on the same line"),
        Quirk(23, "UNABLE TO CONNECT is cut to NABLETO"),
        Quirk(24, "A failed search ends with CAN ERROR, NO DATA or BUS INIT: ERROR"),
        Quirk(25, "Errors in every spelling: STOPPED, BUFFER FULL, BUS ERROR, <RX ERROR, ERR93, LP ALERT …"),
        Quirk(26, "LV RESET: the supply dropped, and all settings are lost"),
        Quirk(27, "The Bluetooth module adds messages of its own: +CONNECTING<<00:0D:18:00:00:01"),
        Quirk(28, "Spaces stay on, although AT S0 was accepted"),
        Quirk(29, "29-bit identifiers are printed without spaces, the data with spaces"),
        Quirk(30, "The last digit of a line is lost"),
        Quirk(31, "Frames are padded with AA", .vehicle),
        Quirk(32, "A frame is printed twice, or the frames of two ECUs on one line"),
        Quirk(33, "AT H1 is accepted without effect: long messages are printed as numbered lines"),
        Quirk(34, "Only the first frame arrives until flow control is switched on"),
        Quirk(35, "The frames of another ECU are mixed with those of a long message", .vehicle),
        Quirk(36, "A reply of more than 100 characters is cut with BUFFER FULL"),
        Quirk(37, "A bus older than CAN: no count before the codes, and padding after them", .vehicle),
        Quirk(38, "Two ECUs answer that they have no codes", .vehicle),
        Quirk(39, "A digit is corrupted on the way from the adapter; only the checksum shows it"),
        Quirk(40, "The answer to the previous request comes late, before or instead of the right one"),
        Quirk(41, "Negative responses of every kind, then no answer at all until a reset", .vehicle),
        Quirk(42, "Values whose bits are all ones", .vehicle),
        Quirk(43, "The voltage follows an echo and reads 0.0 V"),
        Quirk(44, "The voltage reads 0.7 V too high"),
        Quirk(45, "The voltage sometimes reads 4.1 V"),
        Quirk(46, "A phone is connected to the adapter, which therefore does not advertise", .link),
        Quirk(47, "The serial service has one of many UUIDs", .link),
        Quirk(48, "Replies arrive in pieces of 20 bytes", .link),
        Quirk(49, "Bytes beyond the first 20 of a write are lost", .link),
        Quirk(50, "After an ATT error, connections to the known device fail", .link),
        Quirk(51, "The serial port is on RFCOMM channel 2, and channel 1 disconnects", .link),
        Quirk(52, "The second connection fails until the adapter is unplugged and plugged in again", .link),
        Quirk(53, "The adapter sleeps after 30 minutes, and does not wake", .link),
        Quirk(54, "The adapter stays powered while the vehicle is parked", .link),
    ]

    /// The numbers of the quirks that a ``SimulatedAdapter`` can have.
    package static let simulated = Set(Self.all.map(\.number)).subtracting([46, 47, 50, 51, 52, 54])
}
