// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import MQTT
import Subscriber

/// Shows a vehicle live: a dashboard on a terminal, otherwise a line for each change.
package struct LiveView {
    package let broker: BrokerAccess
    package let vehicle: String
    /// The end of the time to watch; nil until the user ends it.
    package let deadline: MonotonicTime?
    /// Whether to print the messages as JSON, for programs.
    package let printsJSON: Bool

    /// The topics of the vehicle, for people.
    private var topics: String { "\(self.broker.topics.prefix)/\(self.vehicle)/…" }

    package func run() async throws {
        let hasHeard =
            if !self.printsJSON, let terminal = Terminal() {
                try await self.showDashboard(on: terminal, until: self.deadline)
            } else {
                try await self.printLines(until: self.deadline)
            }
        // The user who ends the command early has seen what there was.
        if !hasHeard, let deadline = self.deadline, self.broker.now >= deadline {
            throw BrokerAccess.silence(self.topics)
        }
    }

    // MARK: - Lines

    /// Prints lines, and returns whether any message has arrived.
    private func printLines(until deadline: MonotonicTime?) async throws -> Bool {
        var log = WatchLog(self.broker.topics)
        var silence = SilenceWatch()
        let following = Following(try self.broker.filters(WatchLog.paths, of: self.vehicle), until: deadline)
        try await self.broker.follow(following) { progress in
            switch progress {
            case .message(let message):
                silence.messageReceived()
                if self.printsJSON { return Self.printJSON(message.topic.description, message.payload) }
                log.line(for: message, at: .present).map(Self.print)
            case .connectionLost(let error):
                silence.connectionLost()
                log.connectionLost("\(error)").map(self.printChange)
            case .subscribed:
                silence.subscribed(at: self.broker.now)
                log.connected().map(self.printChange)
            case .timePassed(let now):
                guard silence.isDue(at: now) else { return }
                Output.note(SilenceWatch.words(self.topics))
                Output.note("Try: \(SilenceWatch.nextStep)")
            }
        }
        return silence.hasHeard
    }

    private static func print(_ line: WatchLog.Line) {
        let subject = line.subject + String(repeating: " ", count: max(0, 28 - line.subject.count))
        let time = line.time + String(repeating: " ", count: max(0, 12 - line.time.count))
        Output.line("\(time)  \(subject)  \(line.text)")
    }

    /// Prints that the connection has changed; standard output has messages only, if it is for programs.
    private func printChange(_ line: WatchLog.Line) {
        if self.printsJSON { Output.note(line.text) } else { Self.print(line) }
    }

    private static func printJSON(_ topic: String, _ payload: [UInt8]) {
        let json =
            (try? JSON(parsing: payload, depthLimit: 32)) ?? .string(String(decoding: payload, as: UTF8.self))
        Output.json(["topic": .string(topic), "payload": json], onOneLine: true)
    }

    // MARK: - The dashboard

    /// Shows the dashboard, and returns whether any message has arrived.
    private func showDashboard(on terminal: Terminal, until deadline: MonotonicTime?) async throws -> Bool {
        defer { terminal.restore() }
        let filters = try self.broker.filters(Dashboard.paths, of: self.vehicle)
        var dashboard = Dashboard(
            self.broker.topics,
            vehicle: self.vehicle,
            size: terminal.size,
            isColored: Terminal.isColored
        )
        let (quits, quit) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let stop: @Sendable () async -> Void = { for await _ in quits { return } }
        try await self.broker.follow(Following(filters, until: deadline), until: stop) { progress in
            switch progress {
            case .message(let message): dashboard.receive(message, at: self.broker.now)
            case .connectionLost(let error): dashboard.connectionLost("\(error)", at: self.broker.now)
            case .subscribed: dashboard.connected(at: self.broker.now)
            case .timePassed(let now):
                if dashboard.type(terminal.read()) == .quit { quit.yield() }
                dashboard.resize(terminal.size)
                let text = dashboard.frame(at: now, time: .present)
                if !text.isEmpty { terminal.write(text) }
            }
        }
        return dashboard.hasHeard
    }
}
