// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ELM327

@Suite("Lines of a reply")
struct ReplyLineTests {
    @Test(
        "Every status text is recognized, with or without spaces, and joined to data (quirks 21, 23 and 25)",
        arguments: [
            ("?", .notUnderstood), ("?WRONG HEXCHAR COUNT", .notUnderstood), ("NO DATA", .noData),
            ("UNABLE TO CONNECT", .unableToConnect),
            ("NABLE TO", .unableToConnect),
            ("BUS INIT: ERROR", .busInitError), ("BUS INIT: ...ERROR", .busInitError), ("BUS INIT: STOPPED", .stopped),
            ("CAN ERROR", .busError), ("BUS ERROR", .busError), ("FB ERROR", .busError), ("BUS BUSY", .busBusy),
            ("DATA ERROR", .damaged), ("<DATA ERROR", .damaged), ("<RX ERROR", .damaged), ("STOPPED", .stopped),
            ("BUFFER FULL", .bufferFull), ("ACT ALERT", .lowPower), ("!ACT ALERT", .lowPower), ("LP ALERT", .lowPower),
            ("!LP ALERT", .lowPower), ("LV RESET", .restarted), ("ERR94", .restarted), ("ERR93", .restarted),
            ("ERR71", .restarted), ("ELM327 v1.5", .restarted),
        ] as [(String, Notice)]
    )
    func notices(text: String, notice: Notice) {
        let compact = text.filter { $0 != " " }
        for line in [text, compact, text.lowercased(), "SEARCHING..." + text, "SEARCHING: " + text] {
            let isGluedMark = notice == .notUnderstood && line.hasPrefix("SEARCHING:")
            #expect(isGluedMark || ReplyLine(line) == .notice(notice), "\(line)")
        }
        guard notice != .notUnderstood else { return }
        #expect(ReplyLine("7E8 06 41 00 BE" + text) == .notice(notice))
        #expect(ReplyLine(compact + "7E8064100") == .notice(notice))
    }

    @Test(
        "Progress is never data, and data behind it is not lost (quirks 20 and 22)",
        arguments: [
            ("SEARCHING...", .progress), ("SEARCHING", .progress), ("BUS INIT: ", .progress),
            ("BUS INIT: ...", .progress),
            ("BUS INIT: OK", .progress), ("BUS INIT: ...OK", .progress), ("BUSINIT...OK", .progress),
            ("SEARCHING...BUS INIT: ...OK", .progress), ("SEARCHING...7E8 06 41 00", .data("7E8064100")),
            ("BUS INIT: OK86 F1 10", .data("86F110")), ("SEARCHING...BUSINIT:...OK86F110", .data("86F110")),
            ("...", .progress), ("...48 6B 1A", .data("486B1A")),
        ] as [(String, ReplyLine)]
    )
    func progress(line: String, reading: ReplyLine) {
        #expect(ReplyLine(line) == reading)
    }

    @Test(
        "Any other text has no meaning (quirk 27)",
        arguments: [
            "+CONNECTING<<00:11:22", "41 0C\u{FFFD}", "ERROR", "VENDOR OPTION/MODE", "> ", "014:", "0: 49 02", "12.6V",
            "ERRATA", "?41 0C", "41 0C...",
        ]
    )
    func other(line: String) {
        #expect(ReplyLine(line) == .other)
    }

    @Test("OK and data are distinguished")
    func okAndData() {
        #expect(ReplyLine("OK") == .ok)
        #expect(ReplyLine("7e8 06 41") == .data("7E80641"))
    }
}

@Suite("The supply voltage")
struct VoltageTests {
    @Test(
        "A voltage is read with or without its unit, and behind an echo (quirks 6 and 43)",
        arguments: [
            (["12.6V"], 12.6), (["12.6 V"], 12.6), (["12.3"], 12.3), (["ATRV", "14.1V"], 14.1), (["9V"], 9),
            (["0.0V"], nil),
            (["?"], nil), ([], nil), (["OK"], nil), (["NANV"], nil), (["-12V"], nil), (["612V"], nil), (["INFV"], nil),
            (["V"], nil), (["ATRV"], nil), (["0.0V", "12.0V"], 12.0),
        ] as [([String], Double?)]
    )
    func voltage(lines: [String], volts: Double?) {
        #expect(AdapterCommand.voltage(in: lines) == volts)
    }
}
