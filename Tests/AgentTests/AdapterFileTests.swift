// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import EventLoop
import OBD2
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

    private static var vehicle: KnownVehicle? {
        var supported = SupportedPIDs()
        try? supported.merge(base: 0x00, bitmap: [0xBE, 0x1F, 0xA8, 0x13])
        try? supported.merge(base: 0x20, bitmap: [0x80, 0, 0, 0x01])
        try? supported.merge(base: 0x40, bitmap: [0xFF, 0, 0, 0])
        let ecus = [ECUAddress.can11(0x7E8): supported, .can29(0x10): supported]
        return VIN("WVWZZZ1JZXW000001").map {
            KnownVehicle(vin: $0, bus: .can11at500, dialect: .j1979, ecus: ecus)
        }
    }

    @Test("The next process finds the facts, but not those about an adapter at another address")
    func life() throws {
        let directory = try TemporaryDirectory()
        let file = AdapterFile(directory: directory.path, address: "ble:AA:BB", version: "1")
        #expect(file.read() == (nil, nil))
        file.memory.persist(Self.known, nil)
        #expect(file.read() == (Self.known, nil) && file.memory.known == Self.known)
        file.memory.persist(Self.known, Self.vehicle)
        #expect(file.read() == (Self.known, Self.vehicle) && file.memory.vehicle == Self.vehicle)
        #expect(AdapterFile(directory: directory.path, address: "ble:AA:BB", version: "2").read() == (nil, nil))
        #expect(AdapterFile(directory: directory.path, address: "ble:AA:CC", version: "1").read() == (nil, nil))
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
            #expect(file.read() == (nil, nil), "\(text)")
        }
        AdapterFile(directory: "/nonexistent", address: "a", version: "1").keep(Self.known, nil)
    }
}
