// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import TestSupport
import Testing

@testable import Agent

@Suite("The notice of a rollback")
struct UpgradeRollbackTests {
    private static let text = """
        id=0123-456
        version=0.1.0
        failed=0.2.0
        after=900
        reason=broker not reached within 900 s
        """

    @Test("The notice becomes the event, with both versions and the reason")
    func event() throws {
        let directory = try TemporaryDirectory()
        #expect(UpgradeRollback.left(in: directory.path) == nil)
        try directory.write(Self.text, to: "rolled-back")
        let rollback = try #require(UpgradeRollback.left(in: directory.path))
        let event = try JSON(encoding: rollback.event)
        #expect(
            event == [
                "event": "upgrade_rolled_back", "version": "0.1.0", "failed_version": "0.2.0",
                "reason": "broker not reached within 900 s",
            ]
        )
        #expect(String(decoding: rollback.mark, as: UTF8.self) == #"{"id":"0123-456"}"#)
    }

    @Test("An incomplete notice is none", arguments: ["id", "version", "failed", "reason"])
    func incomplete(_ key: String) {
        let lines = Self.text.split(separator: "\n").filter { !$0.hasPrefix("\(key)=") }
        #expect(UpgradeRollback(lines.joined(separator: "\n")) == nil)
    }
}
