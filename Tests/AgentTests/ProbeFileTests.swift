// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Parking
import Session
import TestSupport
import Testing

@testable import Agent

@Suite("The probes that are kept over a crash")
struct ProbeFileTests {
    private static func time(_ seconds: Int) -> MonotonicTime { MonotonicTime(sinceBoot: .seconds(seconds)) }

    @Test("What was spent is known to the process that comes next, and not after an orderly end or a boot")
    func life() throws {
        let directory = try TemporaryDirectory()
        let file = ProbeFile(directory: directory.path, boot: "first")
        let record = ProbeRecord(spent: [Self.time(100), Self.time(3000)], spentInNight: 2)
        #expect(file.read(at: Self.time(5000)) == ProbeRecord())
        file.keep(record)
        #expect(file.read(at: Self.time(5000)) == record)
        #expect(ProbeFile(directory: directory.path, boot: "second").read(at: Self.time(5000)) == ProbeRecord())
        file.remove()
        #expect(file.read(at: Self.time(5000)) == ProbeRecord())
    }

    @Test("A damaged file, times to come and a directory that is gone are nothing spent")
    func damage() throws {
        let directory = try TemporaryDirectory()
        let file = ProbeFile(directory: directory.path, boot: "b")
        for text in ["", "b", "b\nmany\n5", "b\n-1", "\u{0}\u{0}\u{0}", "b\n0\nx\n99999999999999999999\n900000"] {
            #expect(TextFile.write(Array(text.utf8), to: directory.path + "/probes", how: .replacing))
            #expect(file.read(at: Self.time(800)) == ProbeRecord(), "\(text)")
        }
        ProbeFile(directory: "/nonexistent", boot: "b").keep(ProbeRecord(spent: [Self.time(1)], spentInNight: 0))
    }
}
