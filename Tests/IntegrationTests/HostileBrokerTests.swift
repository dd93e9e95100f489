// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import SQLite
import Store
import TestSupport
import Testing

@Suite("The recording goes on, whatever the broker does")
struct HostileBrokerTests {
    /// An attack of a broker after CONNECT.
    enum Attack: String, CaseIterable, CustomTestStringConvertible {
        case unknownPropertyInConnack, unknownPropertyInMessage, hugeMessage, silence, flood, unreadAnswers

        var testDescription: String { self.rawValue }

        /// The number of connections after which the test reads the recording.
        var connections: Int {
            switch self {
            case .unknownPropertyInConnack, .unknownPropertyInMessage: 3
            case .hugeMessage, .silence, .flood, .unreadAnswers: 1
            }
        }

        /// - Parameter isNew: whether the agent speaks MQTT 5.
        func perform(on peer: LoopbackPeer, isNew: Bool) {
            let list: [UInt8] = isNew ? [0] : []
            let accepted: [UInt8] = isNew ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]
            let topic: [UInt8] = [0, 14] + Array("obd/v/commands".utf8)
            switch self {
            case .unknownPropertyInConnack:
                peer.write([0x20, 5, 0, 0, 2, 0x7E, 0])
            case .unknownPropertyInMessage:
                peer.write(accepted + [0x30, 19] + topic + [2, 0x7E, 0])
            case .hugeMessage:
                // The length 0xC800000 + 17 announces a payload of 200 MiB.
                peer.write(accepted + [0x30, 0x91, 0x80, 0x80, 0x64] + topic + [0])
                let piece = [UInt8](repeating: 0x20, count: 1 << 20)
                for _ in 0..<200 where !peer.writeAll(piece) { return }
            case .silence:
                peer.write(accepted)
            case .flood:
                peer.write(accepted)
                let message = [0x30, UInt8(17 + list.count)] + topic + list + [0x7B]
                let piece = [[UInt8]](repeating: message, count: 1000).flatMap(\.self)
                while peer.writeAll(piece) {}
            case .unreadAnswers:
                peer.write(accepted)
                let message = [0x32, UInt8(19 + list.count)] + topic + [0, 1] + list + [0x7B]
                let piece = [[UInt8]](repeating: message, count: 1000).flatMap(\.self)
                while peer.writeAll(piece) {}
            }
            while !peer.read().isEmpty {}
        }
    }

    /// Attacks each connection that comes, and yields its number.
    private static func attack(_ attack: Attack) throws -> (port: UInt16, connections: AsyncStream<Int>) {
        let listener = try LoopbackListener()
        let (connections, connected) = AsyncStream.makeStream(of: Int.self)
        @Sendable func serve(_ number: Int) throws {
            try listener.serveOne { peer in
                try? serve(number + 1)
                let connect = peer.read()
                guard let name = connect.firstRange(of: Array("MQTT".utf8)), name.upperBound < connect.count else {
                    return
                }
                connected.yield(number)
                attack.perform(on: peer, isNew: connect[name.upperBound] == 5)
            }
        }
        try serve(1)
        return (listener.port, connections)
    }

    @Test("Every record is kept, by one process that stays small", arguments: Attack.allCases)
    func recording(attack: Attack) async throws {
        try await Bench.run { bench in
            let (port, connections) = try Self.attack(attack)
            let car = try await SimulatedCar()
            var settings = Bench.Settings(
                adapter: car.address,
                vehicle: "v",
                mqtt: ["url = \"mqtt://127.0.0.1:\(port)\""],
                parameters: ["engine_speed = 0.2"]
            )
            settings.storeWindow = 0
            let agent = try bench.start(settings)
            _ = try await connections.next("the attack") { $0 >= attack.connections }
            let path = "\(bench.directory.path)/obd-agent.db"
            try await eventually("a recording") { FileStamp(of: path) != nil }
            let count = { @Sendable in
                try Database(path, .readOnly).integer("SELECT count(*) FROM telemetry") ?? 0
            }
            let before = (try? count()) ?? 0
            try await eventually("more of the recording") { ((try? count()) ?? 0) >= before + 5 }
            #expect(agent.isRunning)
            let peak = try #require(Self.peakMemory(of: agent))
            #expect(peak < 128 << 10, "KiB")
            agent.signal()
            #expect(try await agent.exitStatus() == .exited(0))

            let database = try Database(path, .readOnly)
            #expect(try database.integer("SELECT count(DISTINCT id >> 30) FROM telemetry") == 1)
            #expect(try database.integer("SELECT min(id) & ((1 << 30) - 1) FROM telemetry") == 1)
            #expect(try database.integer("SELECT max(id) - min(id) + 1 - count(*) FROM telemetry") == 0)
        }
    }

    /// Returns the peak memory of a process in KiB.
    private static func peakMemory(of process: ChildProcess) -> Int? {
        let status = TextFile.read("/proc/\(process.processID)/status") ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }
    }
}
