// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import MQTT
import Subscriber
import UnixSignals

/// Shows a vehicle live: a dashboard on a terminal, otherwise a line for each change.
package struct LiveView {
    package let broker: BrokerAccess
    package let vehicle: String
    /// The time to watch; nil until the user ends it.
    package let duration: Duration?
    /// Whether to print the messages as JSON, for programs.
    package let printsJSON: Bool

    package func run() async throws {
        let deadline = self.duration.map { self.broker.now + $0 }
        if !self.printsJSON, let terminal = Terminal() {
            try await self.showDashboard(on: terminal, until: deadline)
        } else {
            try await self.printLines(until: deadline)
        }
    }

    // MARK: - Lines

    private func printLines(until deadline: MonotonicTime?) async throws {
        var log = WatchLog(self.broker.topics)
        let following = Following(try self.broker.filters(WatchLog.paths, of: self.vehicle), until: deadline)
        try await self.broker.follow(following) { message in
            if self.printsJSON { return Self.printJSON(message.topic.description, message.payload) }
            guard let line = log.line(for: message) else { return }
            let subject = line.subject + String(repeating: " ", count: max(0, 28 - line.subject.count))
            let time = line.time + String(repeating: " ", count: max(0, 12 - line.time.count))
            Output.line("\(time)  \(subject)  \(line.text)")
        }
    }

    private static func printJSON(_ topic: String, _ payload: [UInt8]) {
        let json =
            (try? JSON(parsing: payload, depthLimit: 32)) ?? .string(String(decoding: payload, as: UTF8.self))
        Output.json(["topic": .string(topic), "payload": json], onOneLine: true)
    }

    // MARK: - The dashboard

    private func showDashboard(on terminal: Terminal, until deadline: MonotonicTime?) async throws {
        defer { terminal.restore() }
        let filters = try self.broker.filters(Dashboard.paths, of: self.vehicle)
        var dashboard = Dashboard(
            self.broker.topics,
            vehicle: self.vehicle,
            size: terminal.size,
            isColored: Terminal.isColored
        )
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        let (quits, quit) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let stop: @Sendable () async -> Void = {
            await withTaskGroup { group in
                group.addTask { for await _ in signals { return } }
                group.addTask { for await _ in quits { return } }
                await group.next()
                group.cancelAll()
            }
        }
        let machine = DashboardFollowing(Following(filters, until: deadline))
        let outcome = try await self.broker.run(machine, until: stop) { progress in
            switch progress {
            case .following(.message(let message)): dashboard.receive(message)
            case .following(.connectionLost(let error)): dashboard.showNotice("\(error); reconnecting")
            case .following(.subscribed): break
            case .timePassed(let now):
                if dashboard.type(terminal.read()) == .quit { quit.yield() }
                dashboard.resize(terminal.size)
                let text = dashboard.frame(at: now, time: .present)
                if !text.isEmpty { terminal.write(text) }
                try StandardOutput.check()
            }
        }
        if case .forbidden(let filter) = outcome { throw BrokerAccess.forbidden(filter.description) }
    }
}
