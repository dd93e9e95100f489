// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Agent

@Suite("A process that died before")
struct RunMarkTests {
    @Test("It is noticed in the same boot, and an orderly end or another boot is none")
    func died() throws {
        let directory = try TemporaryDirectory()
        let mark = RunMark(directory: directory.path, boot: "first")
        #expect(!mark.begin())
        #expect(mark.begin())
        #expect(mark.begin())
        mark.end()
        #expect(!mark.begin())
        #expect(!RunMark(directory: directory.path, boot: "second").begin())
        #expect(!RunMark(directory: "/nonexistent", boot: "first").begin())
    }
}
