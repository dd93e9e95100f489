// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Remote
import Testing

@Suite("The preview and the result of a clear as text")
struct ClearTextTests {
    private static let report = JSON(
        payload: Array(
            """
            {"known": true, "mil": true, "unread": [], "not_supported": ["permanent"],
             "codes": [
               {"code": "P0420", "ecu": "7E8", "states": ["stored", "permanent"],
                "freeze_frame": {"values": {}, "unread": ["engine_speed"]}},
               {"code": "P0301", "ecu": "7E8", "states": ["stored"]}, {"code": "P0171", "ecu": "7E9", "states": ["permanent"]}],
             "freeze_frames": {"7E8": {"state": "stored", "code": "P0420"}, "7E9": {"state": "unread"},
                               "7EA": {"state": "none"}, "7EB": {"state": "not_supported"}, "7EC": {"state": "new"}}}
            """.utf8
        )
    )

    private static func report(_ known: Bool, unread: [JSON] = [], notSupported: [JSON] = []) -> ClearPreview {
        ClearPreview([
            "known": .bool(known), "codes": [], "unread": .array(unread), "not_supported": .array(notSupported),
        ])
    }

    @Test("The preview lists the erased data, including unread data")
    func preview() {
        let preview = ClearPreview(Self.report)
        #expect(preview.erasable == ["P0301", "P0420"] && preview.permanent == ["P0171", "P0420"])
        #expect(preview.unread.isEmpty)
        #expect(
            preview.lines(["", "Codes"], of: "van-12") == [
                "van-12, warning lamp on. A clear erases:", "", "Codes", "",
                "  the freeze frame of 7E8, stored with P0420 (could not be read: engine_speed)",
                "  the freeze frame of 7E9, which could not be read and may not exist",
                "  the freeze frame of 7EC, which could not be read and may not exist",
                "  the readiness for an inspection, and the results of the on-board tests", "",
                "Permanent codes stay until their ECU has verified the repair: P0171, P0420",
            ]
        )
    }

    @Test("The preview distinguishes an unread list from an empty one")
    func lists() {
        let unread = Self.report(true, unread: ["pending", "permanent"])
        #expect(unread.unread == [.pending] && unread.erasable.isEmpty)
        let lines = unread.lines(["Codes"], of: "van-12")
        #expect(lines.contains("  the pending codes, which could not be read and are unknown"))
        #expect(lines.contains("The permanent codes could not be read. A clear does not erase them."))
        #expect(!lines.contains("  no codes") && !lines.contains("Codes"))

        #expect(Self.report(false).unread == [.stored])
        #expect(Self.report(false, notSupported: ["stored"]).unread.isEmpty)
        let none = Self.report(true).lines(["Codes"], of: "van-12")
        #expect(none.contains("  no codes") && !none.contains { $0.contains("could not be read") })
        #expect(ClearPreview(.null).unread == [.stored])
    }

    @Test("The arguments confirm the previewed codes, and override only what the caller requests")
    func arguments() {
        let preview = ClearPreview(Self.report)
        #expect(
            preview.arguments(all: false, overridesEngine: false, acceptsIncomplete: false)
                == ["confirm": ["P0301", "P0420"]]
        )
        #expect(
            preview.arguments(all: true, overridesEngine: true, acceptsIncomplete: true)
                == ["confirm": "all", "override_engine": true, "accept_incomplete": true]
        )
    }

    @Test("Gone, remaining and unknown codes have separate rows")
    func outcome() {
        let text = ClearText([
            "ecus": ["7E8": "cleared", "7E9": "no answer"], "gone": [["code": "P0301", "ecu": "7E8"]],
            "stayed": [["code": "P0171", "ecu": "7E9", "reason": "still there, or there again"]],
            "unknown": [["code": "P0420", "ecu": "7E8", "reason": "the stored codes could not be read again"]],
            "not_kept": ["tests"], "known_after": true, "unread_after": ["pending"], "mil": false,
            "monitors": ["catalyst": "incomplete", "misfire": "complete"],
        ])
        #expect(
            text.rows == [
                ["ECU 7E8", "cleared"], ["ECU 7E9", "no answer"], ["Gone", "P0301  7E8"],
                ["Stayed", "P0171  7E9  still there, or there again"],
                ["Not known", "P0420  7E8: the stored codes could not be read again"],
                ["Not kept", "tests"], ["Codes", "the pending ones could not be read again"],
                ["Warning lamp", "off"],
                ["Readiness", "to be run again: catalyst"],
            ]
        )
        #expect(ClearText(["codes_before": [:]]).rows.isEmpty)
    }

    @Test("A refusal with a remedy has an advice")
    func advice() {
        func advice(_ state: String, _ reason: String) -> String? {
            ReceivedResponse(Array("{\"state\":\"\(state)\",\"reason\":\"\(reason)\"}".utf8))?.advice
        }
        #expect(advice("refused", "snapshot_incomplete")?.contains("clear --accept-incomplete") == true)
        #expect(advice("refused", "unsigned")?.contains("--signing-key") == true)
        #expect(advice("refused", "engine_running") == nil && advice("failed", "snapshot_incomplete") == nil)
    }
}
