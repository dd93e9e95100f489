// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import Testing

@testable import Simulator

@Suite("The faults of an adapter")
struct FaultTests {
    /// The reply of an adapter without faults to 0101 with the engine's header.
    private static let healthy = "7E80641010007E500\r\r>"

    private static func bench(_ fault: InjectedFault, count: Int = 1) -> Bench {
        var bench = Bench.ready(.can11at500, ["ATH1", "ATS0", "ATSH7E0"], at: .seconds(630))
        bench.adapter.inject(fault, requests: count)
        return bench
    }

    @Test(
        "A fault affects exactly one request",
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
        ] as [(InjectedFault, String)]
    )
    func onlyOnce(fault: InjectedFault, reply: String) {
        var bench = Self.bench(fault)
        #expect(bench.send("0101\r") == reply)
        // The adapter may still wait for other ECUs, and without a prompt the client does not notice.
        bench.time = bench.time + .seconds(1)
        #expect(bench.send("0101\r") == Self.healthy)
    }

    @Test("Garbage is in the middle of the data")
    func garbage() {
        var bench = Self.bench(.garbage)
        bench.adapter.bytesReceived(Array("0101\r".utf8), at: bench.time, in: &bench.vehicle)
        let bytes = bench.adapter.output(at: bench.time + .seconds(1))
        #expect(bytes.starts(with: "7E8".utf8) && bytes.contains(0xFC) && bytes.contains(0))
    }

    @Test("After a low voltage the adapter has lost its settings")
    func lowVoltage() {
        var bench = Self.bench(.lowVoltageReset)
        #expect(bench.send("0101\r") == "LV RESET\r\r>")
        #expect(bench.send("ATI\r") == "ATI\rELM327 v1.5\r\r>")
    }

    @Test("Slow bytes arrive one by one")
    func slowBytes() {
        var bench = Self.bench(.slowBytes)
        #expect(bench.send("0101\r", for: .milliseconds(60)).count <= 3)
        let start = bench.time
        _ = bench.rest()
        #expect(bench.time - start > .milliseconds(300))
    }

    @Test("Silence lasts for the injected number of commands, AT commands included")
    func silence() {
        var bench = Self.bench(.silence, count: 3)
        for command in ["0101\r", "ATI\r", "ATZ\r"] { #expect(bench.send(command) == "") }
        #expect(bench.send("ATI\r") == "ELM327 v1.5\r\r>")
    }

    @Test("Faults occur in the order of their injection, and can be cleared")
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

    @Test("A broken link carries no bytes in either direction")
    func disconnect() {
        var bench = Self.bench(.disconnect)
        #expect(bench.send("0101\r") == "")
        #expect(bench.adapter.isDisconnected)
        #expect(bench.send("ATI\r") == "")
    }
}
