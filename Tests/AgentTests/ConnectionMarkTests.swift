// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Agent

@Suite("The mark of an attempt to connect")
struct ConnectionMarkTests {
    @Test("The next process of the same boot finds the mark; one of another boot does not")
    func found() throws {
        let directory = try TemporaryDirectory()
        let mark = ConnectionMark(directory: directory.path, boot: "first")
        #expect(!mark.exists)
        mark.set(true)
        mark.set(true)
        #expect(ConnectionMark(directory: directory.path, boot: "first").exists)
        #expect(!ConnectionMark(directory: directory.path, boot: "second").exists)
        mark.set(false)
        mark.set(false)
        #expect(!mark.exists)
    }

    @Test("Without a runtime directory there is no mark")
    func noDirectory() {
        let mark = ConnectionMark(directory: "/nonexistent", boot: "first")
        mark.set(true)
        #expect(!mark.exists)
    }
}
