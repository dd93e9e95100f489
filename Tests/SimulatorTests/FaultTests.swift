// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import Testing
import Base

@testable import Simulator

@Suite("An adapter that behaves badly")
struct FaultTests {
    /// What a healthy adapter answers to 0101 with the engine's header.
    private static let healthy = "7E80641010007E500\r\r>"

    private static func bench(_ fault: Fault, count: Int = 1) -> Bench {
        var bench = Bench.ready(.can11at500, ["ATH1", "ATS0", "ATSH7E0"], at: .seconds(630))
        bench.adapter.inject(fault, requests: count)
        return bench
    }

    @Test(
        "A fault spoils one request, and only that",
        arguments: [
            (.truncated, "7E8064101\r\r>"),
            (.lateReply(to: [0x01, 0x0D]), "7E803410D00\r\(Self.healthy)"),
            (.promptMissing, "7E80641010007E500\r"),
            (.duplicatedLines, "7E80641010007E500\r\(Self.healthy)"),
            (.noData, "NO DATA\r\r>"),
            (.negative(0x22), "7E8037F0122\r\r>"),
            (.stopped, "STOPPED\r\r>"),
            (.silence, ""),
            (.slowBytes, Self.healthy),
        ] as [(Fault, String)]
    )
    func onlyOnce(fault: Fault, reply: String) {
        var bench = Self.bench(fault)
        #expect(bench.send("0101\r") == reply)
        // Without a prompt the client cannot know that the adapter still waits for other ECUs.
        bench.time = bench.time + .seconds(1)
        #expect(bench.send("0101\r") == Self.healthy)
    }

    @Test("Garbage stands in the middle of the data")
    func garbage() {
        var bench = Self.bench(.garbage)
        bench.adapter.received(Array("0101\r".utf8), at: bench.time, by: &bench.vehicle)
        let bytes = bench.adapter.output(at: bench.time + .seconds(1))
        #expect(bytes.starts(with: "7E8".utf8) && bytes.contains(0xFC) && bytes.contains(0))
    }

    @Test("A low voltage makes the adapter forget its settings")
    func lowVoltage() {
        var bench = Self.bench(.lowVoltageReset)
        #expect(bench.send("0101\r") == "LV RESET\r\r>")
        #expect(bench.send("ATI\r") == "ATI\rELM327 v1.5\r\r>")
    }

    @Test("Slow bytes come one by one")
    func slowBytes() {
        var bench = Self.bench(.slowBytes)
        #expect(bench.send("0101\r", for: .milliseconds(60)).count <= 3)
        let start = bench.time
        _ = bench.rest()
        #expect(bench.time - start > .milliseconds(300))
    }

    @Test("Silence lasts as long as it is asked to, and covers every command")
    func silence() {
        var bench = Self.bench(.silence, count: 3)
        for command in ["0101\r", "ATI\r", "ATZ\r"] { #expect(bench.send(command) == "") }
        #expect(bench.send("ATI\r") == "ELM327 v1.5\r\r>")
    }

    @Test("Faults come in the order in which they were injected, and can be called off")
    func order() {
        var bench = Self.bench(.noData, count: 2)
        bench.adapter.inject(.stopped)
        bench.adapter.inject(.silence, requests: 5)
        #expect(bench.send("0101\r") == "NO DATA\r\r>")
        #expect(bench.send("0101\r") == "NO DATA\r\r>")
        #expect(bench.send("0101\r") == "STOPPED\r\r>")
        bench.adapter.clearFaults()
        #expect(bench.send("0101\r") == Self.healthy)
    }

    @Test("A broken link takes nothing and gives nothing")
    func disconnect() {
        var bench = Self.bench(.disconnect)
        #expect(bench.send("0101\r") == "")
        #expect(bench.adapter.isDisconnected)
        #expect(bench.send("ATI\r") == "")
    }
}
