// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import JOSE
import Simulator
import Synchronization
import Testing

@testable import Commands

@Suite("Messages of untrusted senders")
struct StrangerTests {
    private static func refusal(_ text: String, _ keys: TrustedKeys = .none) -> Refusal? {
        do throws(Refusal) {
            _ = try CommandDecoder.decode(Array(text.utf8), keys: keys)
            return nil
        } catch {
            return error
        }
    }

    private static func topic() throws -> Topic { try Topic("obd/van/commands") }

    /// Alternating marks of two classes with a number of bytes; the time to hash them grows with its square.
    private static func marks(_ bytes: Int) -> String { String(repeating: "\u{0301}\u{0323}", count: bytes / 4) }

    @Test("An unsigned command has at most 8 KiB; a signed one may have more")
    func sizes() async throws {
        let bench = Bench()
        let key = try JSONWebKey.generate(keyID: "ada", members: ["roles": ["specialist"]])
        let executor = bench.executor(keys: try SigningTests.trusting(key))
        let text = String(repeating: "😀", count: 3000)
        let unsigned = try bench.message("record_finding", #"{"text": "\#(text)"}"#)
        await executor.receive(unsigned)
        #expect(bench.last?.reason == .malformed && bench.last?.state == .refused)
        #expect(bench.last?.message?.hasPrefix("an unsigned command has at most 8192 bytes; this has 12") == true)
        let finding: JSON = ["text": .string(text)]
        let signed = try SigningTests.sign(with: key, at: bench.clock.timestamp, "1", "record_finding", finding)
        await executor.receive(Message(topic: try Self.topic(), payload: Array(signed.utf8)))
        #expect(bench.last?.state == .succeeded)
    }

    @Test("Quoted text of the sender is cut to a number of bytes, wherever it stands")
    func echoes() {
        let time = #""issued_at": "2026-11-21T10:00:00Z", "expires_at": "2026-11-21T10:05:00Z""#
        // A joined emoji is one character of any length.
        let long = String(repeating: "👨\u{200D}", count: 800)
        for (name, arguments, more) in [
            (long, "{}", ""), ("describe", #"{"\#(long.prefix(bytes: 120))": 1}"#, ""),
            ("describe", "{}", #", "\#(long.prefix(bytes: 120))": 1"#),
            ("read_parameters", #"{"parameters": ["\#(long)"]}"#, ""),
            ("clear_codes", #"{"confirm": ["\#(long)"]}"#, ""), ("raw_request", #"{"requests": ["\#(long)"]}"#, ""),
            ("select_parameters", #"{"set": {"category:\#(long.prefix(bytes: 100))": 1}}"#, ""),
            ("select_parameters", #"{"remove": ["category:\#(long)"]}"#, ""),
        ] {
            let refusal = Self.refusal(
                #"{"id": "1", "command": "\#(name)", "arguments": \#(arguments), \#(time)\#(more)}"#
            )
            #expect((refusal?.message.utf8.count ?? .max) < 400, "\(name) \(arguments)")
            #expect((refusal?.command?.utf8.count ?? 0) <= 64)
        }
    }

    @Test("An audience has at most 16 names of 256 bytes, which is checked before a name is hashed")
    func audience() throws {
        let key = try JSONWebKey.generate(keyID: "ada", members: ["roles": ["specialist"]])
        let keys = try SigningTests.trusting(key)
        func refusal(_ audience: JSON) throws -> Refusal? {
            let time = Timestamp(milliseconds: 1_795_255_200_000)
            return Self.refusal(
                try SigningTests.sign(with: key, at: time, "1", "describe", audience: audience),
                keys
            )
        }
        let name = String(repeating: "n", count: 256)
        #expect(try refusal(.array([JSON](repeating: .string(name), count: 16))) == nil)
        #expect(try refusal(.array([JSON](repeating: "van", count: 17)))?.message.contains("1 to 16 vehicles") == true)
        #expect(try refusal([.string(name + "n")])?.message.contains("at most 256 bytes") == true)
        #expect(try refusal(.string(name + "n"))?.message.contains("at most 256 bytes") == true)
        #expect(try refusal([])?.message.contains("1 to 16 vehicles") == true)
        #expect(try refusal(["van", .string(Self.marks(40_000))])?.message.contains("combining marks") == true)
    }

    @Test("A response to a command repeats up to 256 bytes of each, response topic and correlation data")
    func properties() async throws {
        let bench = Bench()
        let executor = bench.executor()
        func answer(to message: Message, _ topic: Int, _ data: Int) async throws -> Message.Properties? {
            var message = message
            message.properties.responseTopic = try Topic(String(repeating: "t", count: topic))
            message.properties.correlationData = [UInt8](repeating: 1, count: data)
            message.properties.userProperties = [.init(name: "a", value: "b")]
            await executor.receive(message)
            return bench.echoes.withLock { $0.last }
        }
        let full = try await answer(to: try bench.message("describe", id: "1"), 256, 256)
        #expect(full?.responseTopic?.description.utf8.count == 256 && full?.correlationData?.count == 256)
        #expect(full?.userProperties.isEmpty == true)
        let long = try await answer(to: try bench.message("describe", id: "2"), 257, 257)
        #expect(bench.last?.state == .succeeded && long == Message.Properties())
        let garbage = try await answer(to: Message(topic: try Self.topic(), payload: Array("{".utf8)), 9, 9)
        #expect(bench.last?.reason == .malformed && garbage == Message.Properties())
        let forbidden = bench.executor(unsignedRole: nil)
        var message = try bench.message("describe", id: "3")
        message.properties.correlationData = [1]
        await forbidden.receive(message)
        #expect(bench.last?.reason == .unsigned && bench.echoes.withLock { $0.last } == Message.Properties())
    }

    @Test("A response to an untrusted sender is short, whatever its reason")
    func shortComplaints() async throws {
        let bench = Bench()
        let executor = bench.executor()
        var texts = ["{", Self.marks(60_000), "eyJ.\(Self.marks(4000)).x", #"{"\#(Self.marks(60_000))": 1}"#]
        texts.append(#"{"\#(Self.marks(4000))": 1}"#)
        texts.append(#"{"id": "\#(Self.marks(4000))", "command": "\#(Self.marks(4000))"}"#)
        for text in texts {
            await executor.receive(Message(topic: try Self.topic(), payload: Array(text.utf8)))
            bench.clock.clock.advance(by: .seconds(1))
            #expect(
                bench.last?.state == .refused && (bench.last?.message?.utf8.count ?? .max) <= 300,
                "\(text.utf8.count)"
            )
        }
        #expect(bench.states.count == texts.count)
    }

    @Test("Without byte budget for responses, unsigned commands are refused, and signed ones run")
    func dry() async throws {
        let bench = Bench()
        let key = try JSONWebKey.generate(keyID: "ada", members: ["roles": ["specialist"]])
        let executor = bench.executor(keys: try SigningTests.trusting(key))
        bench.delayOfStranger.withLock { $0 = 31 }
        await executor.receive(try bench.message("describe", id: "1"))
        #expect(bench.last?.reason == .rateLimited && bench.last?.issuedAt == nil)
        #expect(bench.last?.retryAfter == 31 && bench.last?.message?.contains("again in 31 s") == true)
        let signed = try SigningTests.sign(with: key, at: bench.clock.timestamp, "1", "describe")
        await executor.receive(Message(topic: try Self.topic(), payload: Array(signed.utf8)))
        #expect(bench.last?.state == .succeeded)
        // The refused command can be sent again under its id.
        bench.delayOfStranger.withLock { $0 = 0 }
        await executor.receive(try bench.message("describe", id: "1"))
        #expect(bench.last?.state == .succeeded && bench.last?.repeat == false && bench.last?.issuer == nil)
    }

    @Test("Sixty messages with slow text delay a signed command no longer than sixty plain ones")
    func delay() async throws {
        let key = try JSONWebKey.generate(keyID: "ada", members: ["roles": ["specialist"]])
        let keys = try SigningTests.trusting(key)
        func delay(_ payload: String) async throws -> Duration {
            let bench = Bench()
            let executor = bench.executor(keys: keys)
            let signed = try SigningTests.sign(with: key, at: bench.clock.timestamp, "1", "describe")
            let message = Message(topic: try Self.topic(), payload: Array(payload.utf8))
            let start = ContinuousClock.now
            for _ in 0..<60 { await executor.receive(message) }
            await executor.receive(Message(topic: try Self.topic(), payload: Array(signed.utf8)))
            let delay = ContinuousClock.now - start
            #expect(bench.last?.state == .succeeded)
            return delay
        }
        // The largest unsigned command is read completely. The shortest of three measurements counts, because other
        // programs only make it longer.
        let plain = #"{"command": "\#(String(repeating: "é", count: 4000))"}"#
        var limit = Duration.seconds(3600)
        for _ in 0..<3 { limit = min(limit, try await delay(plain)) }
        for hostile in [
            #"{"\#(Self.marks(65_500))": 1}"#, #"{"command": "\#(Self.marks(65_500))"}"#,
            #"{"\#(Self.marks(8180))": 1}"#, #"{"command": "\#(Self.marks(8160))"}"#,
            String(repeating: #"{"a": "#, count: 10_000), "[" + Self.marks(65_000),
        ] {
            var least = Duration.seconds(3600)
            for _ in 0..<3 { least = min(least, try await delay(hostile)) }
            // Hashed and compared, each of the sixty would take 2 s. A busy machine makes some of a few milliseconds 50.
            let bound = max(limit * 5, .milliseconds(500))
            #expect(least < bound, "\(hostile.prefix(bytes: 20)): \(least), and plain \(limit)")
        }
    }
}
