// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Session
import Testing

@testable import Diagnosis

@Suite("The dialogue in the report about an adapter")
struct DialogueExtractTests {
    private static func entry(_ event: TranscriptEntry.Event, at milliseconds: Int) -> TranscriptEntry {
        TranscriptEntry(event, at: MonotonicTime(sinceBoot: .seconds(1000) + .milliseconds(milliseconds)))
    }

    @Test("It has the bytes in both directions, escaped, and the time since the first; no address")
    func bytes() {
        var extract = DialogueExtract()
        #expect(extract.lines.isEmpty)
        extract.record(Self.entry(.opened("ble:AA:BB:CC:DD:EE:FF"), at: 0))
        extract.record(Self.entry(.starting(nil, .full, []), at: 1))
        extract.record(Self.entry(.sent(Array("ATZ\r".utf8)), at: 2))
        extract.record(Self.entry(.received([0x00, 0x1B, 0xFF] + Array("?\r\n>".utf8)), at: 1250))
        extract.record(Self.entry(.lost("closed"), at: 2000))
        #expect(
            extract.lines == [
                #"0.002000000 > ATZ\r"#, #"1.250000000 < \x00\x1B\xFF?\r\n>"#, "2.000000000 lost closed",
            ]
        )
    }

    @Test("However much an adapter sends, the begin and the end stay, and the size is bounded")
    func bound() {
        var extract = DialogueExtract()
        extract.record(Self.entry(.sent(Array("ATZ\r".utf8)), at: 0))
        for chunk in 1...500 {
            extract.record(
                Self.entry(.received([UInt8](repeating: 0xAA, count: chunk == 7 ? 100_000 : 300)), at: chunk)
            )
        }
        extract.record(Self.entry(.sent(Array("0100\r".utf8)), at: 501))
        let lines = extract.lines
        #expect(lines.first == #"0.000000000 > ATZ\r"# && lines.last == #"0.501000000 > 0100\r"#)
        #expect(lines.count { $0.contains("entries are left out") } == 1)
        // A byte takes at most four characters.
        #expect(
            lines.reduce(0) { $0 + $1.utf8.count } < 4 * (DialogueExtract.headLimit + DialogueExtract.tailLimit) + 8192
        )
    }

    @Test("A VIN is in no report")
    func redaction() {
        var extract = DialogueExtract()
        let request = BusRequest(payload: [0x09, 0x02], echo: [0x02], lengths: nil)
        extract.record(Self.entry(.asking(request, .can11at500), at: 0))
        extract.record(Self.entry(.sent(Array("0902\r".utf8)), at: 0))
        let reply = "7E8 10 14 49 02 01 31 48 47\r7E8 21 43 4D 38 32 36 33 33\r7E8 22 41 30 30 34 33 35 32\r\r>"
        extract.record(Self.entry(.received(Array(reply.utf8)), at: 9))
        let text = extract.lines.joined()
        #expect(text.contains("0902") && !text.contains("31 48 47") && !text.contains("43 4D 38"))
    }
}
