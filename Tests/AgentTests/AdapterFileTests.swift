// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import EventLoop
import Session
import TestSupport
import Testing

@testable import Agent

@Suite("The file of the facts about the adapter")
struct AdapterFileTests {
    private static var known: KnownAdapter {
        var report = AdapterReport()
        report.identity = "ELM327 v2.1"
        report.ecus = [.can11(0x7E8): [[0x41, 0x00, 1, 2, 3, 4]]]
        return KnownAdapter(report, assessed: nil, earlier: nil)
    }

    @Test("The next process finds the facts, but not those about an adapter at another address")
    func life() throws {
        let directory = try TemporaryDirectory()
        let file = AdapterFile(directory: directory.path, address: "ble:AA:BB", version: "1")
        #expect(file.read() == nil)
        file.memory.persist(Self.known)
        #expect(file.read() == Self.known && file.memory.known == Self.known)
        #expect(AdapterFile(directory: directory.path, address: "ble:AA:BB", version: "2").read() == nil)
        #expect(AdapterFile(directory: directory.path, address: "ble:AA:CC", version: "1").read() == nil)
        #expect(TextFile.read("\(directory.path)/\(AdapterFile.name).new") == nil)
    }

    @Test("A damaged file and a directory that is gone are no facts")
    func damage() throws {
        let directory = try TemporaryDirectory()
        let file = AdapterFile(directory: directory.path, address: "a", version: "1")
        for text in ["", "{", "[]", #"{"address":"a"}"#, #"{"address":"a","adapter":{"v":1}}"#, "\u{0}\u{0}"] {
            #expect(
                TextFile.write(Array(text.utf8), to: "\(directory.path)/\(AdapterFile.name)", how: .replacing)
            )
            #expect(file.read() == nil, "\(text)")
        }
        AdapterFile(directory: "/nonexistent", address: "a", version: "1").keep(Self.known)
    }
}
