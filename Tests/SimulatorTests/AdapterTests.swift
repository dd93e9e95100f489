// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Testing

@testable import Simulator

@Suite("The line discipline of an ELM327")
struct AdapterTests {
    @Test("A reset takes half a second, echoes, and prints the version")
    func reset() {
        var bench = Bench()
        let start = bench.time
        #expect(bench.send("ATZ\r") == "ATZ\r\r\rELM327 v1.5\r\r>")
        #expect(bench.time - start >= .milliseconds(500))
    }

    @Test("Bytes sent during a reset are lost")
    func bytesDuringReset() {
        var bench = Bench()
        #expect(bench.send("ATZ\r", for: .milliseconds(100)) == "ATZ\r")
        #expect(bench.send("ATI\r") == "\r\rELM327 v1.5\r\r>")
    }

    @Test(
        "Commands are answered as in the data sheet",
        arguments: [
            ("ATI", "ELM327 v1.5"), ("at i", "ELM327 v1.5"), ("AT@1", "OBDII to RS232 Interpreter"), ("AT@2", "?"),
            ("ATDP", "AUTO"), ("ATDPN", "A0"), ("ATSP6", "OK"), ("ATSPA6", "OK"), ("ATSPD", "?"), ("ATTP0", "OK"),
            ("ATS0", "OK"), ("ATH1", "OK"), ("ATD0", "OK"), ("ATD", "OK"), ("ATM0", "OK"), ("ATAT2", "OK"),
            ("ATAT3", "?"), ("ATSTFF", "OK"), ("ATST", "?"), ("ATSH7E0", "OK"), ("ATSHDA10F1", "OK"),
            ("ATSH12345", "?"), ("ATCRA7E8", "OK"), ("ATCRA 7EX", "OK"), ("ATCRA", "OK"), ("ATAR", "OK"),
            ("ATCAF0", "OK"), ("ATCFC1", "OK"), ("ATCF7E8", "OK"), ("ATCM7FF", "OK"), ("ATFCSM1", "?"),
            ("ATAL", "OK"), ("ATNL", "OK"), ("ATR1", "OK"), ("ATKW0", "OK"), ("ATFE", "OK"), ("ATSS", "OK"),
            ("ATCSM1", "OK"), ("ATV0", "OK"), ("ATCP18", "OK"), ("ATPC", "OK"), ("ATIGN", "ON"), ("ATAMC", "?"),
            ("ATXY", "?"), ("ATSH+7E", "?"), ("+1+C", "?"), ("ATSWXX", "?"), ("AT", "?"), ("STI", "?"), ("HELLO", "?"),
            ("1", "?"), ("0G", "?"),
            ("0102030405060708", "?"),
        ]
    )
    func commands(command: String, reply: String) {
        var bench = Bench()
        _ = bench.send("ATE0\r")
        #expect(bench.lines(command) == [reply])
    }

    @Test("Flow control mode 1 needs its header and data first")
    func flowControlMode() {
        var bench = Bench()
        _ = bench.send("ATE0\r")
        #expect(bench.lines("ATFCSH7E0") == ["OK"])
        #expect(bench.lines("ATFCSD300000") == ["OK"])
        #expect(bench.lines("ATFCSM1") == ["OK"])
    }

    @Test("The client switches echo and line feeds on and off")
    func echo() {
        var bench = Bench()
        #expect(bench.send("ATE0\r") == "ATE0\rOK\r\r>")
        #expect(bench.send("ATL1\r") == "OK\r\n\r\n>")
        #expect(bench.send("ATE1\r") == "OK\r\n\r\n>")
        #expect(bench.send("ATI\r") == "ATI\r\nELM327 v1.5\r\n\r\n>")
    }

    @Test("NUL bytes, line feeds and blanks inside a command are ignored")
    func noise() {
        var bench = Bench()
        _ = bench.send("ATE0\r")
        #expect(bench.send("\0A\0 T\n I\0\r") == "ELM327 v1.5\r\r>")
    }

    @Test("A lone carriage return repeats the last command")
    func repeatLast() {
        var bench = Bench.ready()
        let reply = bench.send("0100\r")
        #expect(reply.hasPrefix("41 00 "))
        #expect(bench.send("\r") == reply)
    }

    @Test("A byte during a request stops the request and is lost")
    func stopped() {
        var bench = Bench.ready()
        #expect(bench.send("0100\r", for: .milliseconds(5)) == "")
        #expect(bench.send("X") == "STOPPED\r\r>")
        #expect(bench.send("ATI\r") == "ELM327 v1.5\r\r>")
    }

    @Test("A command that is sent before the prompt loses its first byte only")
    func early() {
        var bench = Bench.ready()
        #expect(bench.send("0100\rATI\r") == "STOPPED\r\r>?\r\r>")
    }

    @Test("Monitoring prints nothing and goes on until the client sends a byte")
    func monitor() {
        var bench = Bench.ready()
        #expect(bench.send("ATMA\r", for: .seconds(3600)) == "")
        #expect(bench.send(" ") == "STOPPED\r\r>")
    }

    @Test("An unfinished line is dropped after 20 s")
    func unfinishedLine() {
        var bench = Bench()
        _ = bench.send("ATE0\r")
        #expect(bench.send("01", for: .milliseconds(19_999)) == "")
        #expect(bench.send("", for: .milliseconds(1)) == "?\r\r>")
        #expect(bench.send("ATI\r") == "ELM327 v1.5\r\r>")
    }

    @Test("A line that is too long is rejected")
    func tooLong() {
        var bench = Bench()
        _ = bench.send("ATE0\r")
        #expect(bench.send(String(repeating: "0", count: 100_000) + "\r") == "?\r\r>")
    }

    @Test("A byte wakes the adapter from low power, and its settings are lost")
    func lowPower() {
        var bench = Bench.ready()
        #expect(bench.send("ATLP\r") == "OK\r\r>")
        #expect(bench.send(" ") == "\r\rELM327 v1.5\r\r>")
        #expect(bench.send("ATI\r") == "ATI\rELM327 v1.5\r\r>")
    }

    @Test("The voltage is higher while the engine runs")
    func voltage() {
        var running = Bench.ready(at: .seconds(300))
        #expect(["14.1V", "14.2V", "14.3V"].contains(running.lines("ATRV").first))
        var standing = Bench.ready(at: .seconds(630))
        #expect(standing.lines("ATRV") == ["12.4V"])
    }

    @Test("Bytes take their time on the serial line")
    func baudRate() {
        var options = SimulatedAdapter.Options()
        options.baudRate = 9600
        var bench = Bench(adapter: options)
        let start = bench.time
        let reply = bench.send("AT@1\r")
        #expect(bench.time - start >= .microseconds(1041 * reply.utf8.count))
    }

    @Test("Random bytes at random times never crash the adapter, and its output stays bounded")
    func randomBytes() {
        var generator = SeededGenerator(state: 7)
        var bench = Bench(.can29at500)
        let alphabet = Array("ATZSPHEL0123456789ABCDEF \r\r\r>\0\n".utf8)
        var bytes = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<24, using: &generator)
            let isText = Bool.random(using: &generator)
            let input = (0..<count).map { _ in
                isText ? alphabet.randomElement(using: &generator) ?? 0 : UInt8.random(in: 0...255, using: &generator)
            }
            bench.adapter.bytesReceived(input, at: bench.time, in: &bench.vehicle)
            bench.time = bench.time + .milliseconds(Int.random(in: 0..<200, using: &generator))
            let output = bench.adapter.output(at: bench.time)
            #expect(output.count <= 16_384)
            bytes += output.count
        }
        #expect(bytes > 0)
        // For a client that never reads, the queue stays at its limit.
        for _ in 0..<5000 { bench.adapter.bytesReceived(Array("ATI\r".utf8), at: bench.time, in: &bench.vehicle) }
        #expect(bench.adapter.output(at: bench.time + .seconds(60)).count <= 16_384)
    }
}
