// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Logging
import MQTT
import OBD2
import Store
import Testing

@testable import Uplink

@Suite("The feed of an agent without a broker")
struct FeedTests {
    private static let speed = TopicPath.parameter("vehicle_speed", ecu: nil)
    private let uplink: Uplink

    init() throws { self.uplink = try Self.uplink([Server(host: "broker.example", port: 8883)]) }

    private static func uplink(_ servers: [Server]) throws -> Uplink {
        var options = UplinkOptions(
            servers: servers,
            username: nil,
            topicPrefix: try Topic("fleet"),
            agent: "a1b2",
            boot: "b",
            batchInterval: .seconds(10),
            compressesTelemetry: false,
            storeWindow: .seconds(10)
        )
        // Who reads at the vehicle costs no bytes of the network.
        options.live = .off
        return try Uplink(
            options,
            vehicle: "van",
            store: Store(.init(agent: "a1b2", boot: "b", firstEpoch: 1)),
            clock: StandingClock(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            connect: { _ throws(MQTTError) in throw .notConnected }
        )
    }

    private static func codes(_ code: String) -> LivePayload {
        let code = CodesReport.Code(code: code, ecu: "7E8", states: [], firstSeen: Timestamp(milliseconds: 0))
        return .codes(.init(time: Timestamp(milliseconds: 0), known: true, mil: nil, codes: [code], unread: []))
    }

    private static func speed(_ speed: Double) throws -> LivePayload {
        let field = try #require(Parameter.named("vehicle_speed")?.fields.first)
        let value = FieldValue(field: field, value: .number(speed))
        let time = Timestamp(milliseconds: 0)
        let report = ParameterReport(value, imperial: false, time: time, ecu: "7E8", quality: .good)
        return .parameter(report)
    }

    private func reader(of uplink: Uplink? = nil) async throws -> FeedReaders.ID {
        guard case .serve(let id) = await (uplink ?? self.uplink).addReader(waking: {}) else {
            throw CancellationError()
        }
        return id
    }

    @Test("An agent without a broker in its configuration says so, dials none, and ends")
    func withoutBroker() async throws {
        let uplink = try Self.uplink([])
        let id = try await self.reader(of: uplink)
        guard case .bytes(let bytes) = await uplink.takeFeed(for: id) else { throw CancellationError() }
        let line = bytes.split(separator: FeedLine.newline).compactMap { FeedLine(parsing: Array($0)) }
            .first { if case .message("broker", _, _) = $0 { true } else { false } }
        guard case .message(_, true, let payload) = line else { throw CancellationError() }
        let report = JSON(payload: payload)
        #expect(report["connected"] == false && report["server"] == .null && !uplink.hasBroker)
        let running = Task { await uplink.run() }
        running.cancel()
        await running.value
        await uplink.finish()
    }

    /// Takes all lines that wait for a reader.
    private func lines(for id: FeedReaders.ID) async -> [FeedLine] {
        var bytes: [UInt8] = []
        loop: while true {
            switch await self.uplink.takeFeed(for: id) {
            case .bytes(let more): bytes += more
            case .wait: break loop
            case .last(let more):
                bytes += more
                break loop
            }
        }
        return bytes.split(separator: FeedLine.newline).compactMap { FeedLine(parsing: Array($0)) }
    }

    /// Returns a message as text: the path with `=` if it is retained, and the payload or a part of it.
    private static func words(_ line: FeedLine) -> String {
        switch line {
        case .greeting(let greeting): "\(greeting.agent) \(greeting.prefix)/\(greeting.vehicle)"
        case .message(let path, let isRetained, let payload):
            "\(path)\(isRetained ? "=" : ":") \(Self.words(path, payload))"
        case .heartbeat: "heartbeat"
        case .end(let reason): "end \(reason.rawValue)"
        }
    }

    private static func words(_ path: String, _ payload: [UInt8]) -> String {
        let json = JSON(payload: payload)
        return switch path {
        case "codes": json["codes"].elements.first?["code"].string ?? "none"
        case "events": "\(json["event"].string ?? "") \(json["agent"].string ?? "") \(json["time"].string ?? "")"
        case "broker": "\(json["connected"].bool == true) \(json["server"].string ?? "")"
        case "availability": String(decoding: payload, as: UTF8.self)
        default: payload.isEmpty ? "removed" : json["value"].double.map { "\(Int($0))" } ?? "none"
        }
    }

    private static let beginning = [
        "a1b2 fleet/van", "availability= online", "broker= false broker.example:8883",
    ]

    @Test("A reader gets what is known at once, then all that is new, whatever is published")
    func values() async throws {
        await self.uplink.update(.codes, Self.codes("P0301"))
        await self.uplink.update(Self.speed, try Self.speed(81))
        let reader = try await self.reader()
        let known = ["codes= P0301", "parameters/vehicle_speed= 81"]
        #expect(await self.lines(for: reader).map(Self.words) == Self.beginning + known)
        await self.uplink.update(Self.speed, try Self.speed(82))
        await self.uplink.update(Self.speed, try Self.speed(83))
        await self.uplink.withdrawParameters(except: [])
        let news = ["82", "83", "removed"].map { "parameters/vehicle_speed: \($0)" }
        #expect(await self.lines(for: reader).map(Self.words) == news)
        #expect(await self.lines(for: try await self.reader()).map(Self.words) == Self.beginning + ["codes= P0301"])
    }

    @Test("An event comes with its time, and without a number, which it gets on the disk")
    func events() async throws {
        let reader = try await self.reader()
        _ = await self.lines(for: reader)
        await self.uplink.record(AgentEvent(.started))
        await self.uplink.record(AgentEvent(.started), of: "another")
        let lines = await self.lines(for: reader)
        #expect(lines.map(Self.words) == ["events: started a1b2 1970-01-01T00:00:00.000Z"])
        guard case .message(_, _, let payload)? = lines.first else { return }
        #expect(JSON(payload: payload)["seq"] == .null)
    }

    @Test("Another vehicle begins anew")
    func vehicleChange() async throws {
        await self.uplink.update(.codes, Self.codes("P0301"))
        let reader = try await self.reader()
        _ = await self.lines(for: reader)
        try await self.uplink.setVehicle("other")
        await self.uplink.update(.codes, Self.codes("P0420"))
        let lines = await self.lines(for: reader).map(Self.words)
        #expect(lines == ["a1b2 fleet/other"] + Self.beginning.dropFirst() + ["codes: P0420"])
    }

    @Test("At the end of the agent the vehicle is offline")
    func end() async throws {
        let reader = try await self.reader()
        _ = await self.lines(for: reader)
        await self.uplink.closeFeed()
        #expect(await self.lines(for: reader).map(Self.words) == ["availability: offline", "end stopping"])
        #expect(await self.uplink.addReader(waking: {}) == .refuse(.stopping))
    }
}
