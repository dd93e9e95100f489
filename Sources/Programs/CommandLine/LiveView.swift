// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import EventLoop
import Subscriber

/// Shows a vehicle live: a dashboard on a terminal, otherwise a line for each change.
package struct LiveView {
    package let feed: LiveFeed
    /// The end of the time to watch; nil until the user ends it.
    package let deadline: MonotonicTime?
    /// Whether to print the messages as JSON, for programs.
    package let printsJSON: Bool

    private var now: MonotonicTime { BootClock().now }

    package func run() async throws {
        let silence =
            if !self.printsJSON, let terminal = Terminal() {
                try await self.showDashboard(on: terminal)
            } else {
                try await self.printLines()
            }
        // The user who ends the command early has seen what there was.
        if !silence.hasHeard, let deadline = self.deadline, self.now >= deadline {
            if !silence.hasSubscribed, case .broker(let broker, _) = self.feed { throw broker.unanswered() }
            throw BrokerAccess.silence(self.feed.subject.words)
        }
    }

    // MARK: - Lines

    /// Prints lines, and returns whether anything was heard.
    private func printLines() async throws -> SilenceWatch {
        var subject = self.feed.subject
        var log = WatchLog(subject.topics, from: self.feed.source)
        var silence = SilenceWatch()
        try await self.feed.follow(WatchLog.paths, until: self.deadline) { progress in
            switch progress {
            case .message(let message):
                silence.messageReceived()
                if self.printsJSON { return Self.printJSON(message, subject) }
                log.line(for: message, at: .present).map(Self.print)
            case .connectionLost(let reason):
                silence.connectionLost()
                log.connectionLost(reason).map(self.printChange)
            case .connected(let present):
                silence.subscribed(at: self.now)
                log.connected().map(self.printChange)
                guard present != subject else { return }
                subject = present
                log = WatchLog(subject.topics, from: self.feed.source)
                self.printChange(WatchLog.line(turningTo: subject.vehicle))
            case .timePassed(let now):
                guard silence.isDue(at: now) else { return }
                Output.note(SilenceWatch.words(subject.words))
                Output.note("Try: \(SilenceWatch.nextStep)")
            }
        }
        return silence
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

    private static func printJSON(_ message: Message, _ subject: LiveFeed.Subject) {
        // Programs get topics, and this is none.
        guard subject.topics.split(message.topic)?.path != BrokerReport.path else { return }
        let json =
            (try? JSON(parsing: message.payload, depthLimit: 32))
            ?? .string(String(decoding: message.payload, as: UTF8.self))
        Output.json(["topic": .string(message.topic.description), "payload": json], onOneLine: true)
    }

    // MARK: - The dashboard

    /// Shows the dashboard, and returns whether anything was heard.
    private func showDashboard(on terminal: Terminal) async throws -> SilenceWatch {
        defer { terminal.restore() }
        var subject = self.feed.subject
        var dashboard = self.dashboard(of: subject, on: terminal)
        let (quits, quit) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let stop: @Sendable () async -> Void = { for await _ in quits { return } }
        try await self.feed.follow(Dashboard.paths, until: self.deadline, or: stop) { progress in
            switch progress {
            case .message(let message): dashboard.receive(message, at: self.now)
            case .connectionLost(let reason): dashboard.connectionLost(reason, at: self.now)
            case .connected(let present):
                if present != subject { dashboard = self.dashboard(of: present, on: terminal) }
                subject = present
                dashboard.connected(at: self.now)
            case .timePassed(let now):
                if terminal.takeBack() { dashboard.redraw() }
                if dashboard.type(terminal.read()) == .quit { quit.yield() }
                dashboard.resize(terminal.size)
                let text = dashboard.frame(at: now, time: .present)
                if !text.isEmpty { terminal.write(text) }
            }
        }
        return dashboard.silence
    }

    private func dashboard(of subject: LiveFeed.Subject, on terminal: Terminal) -> Dashboard {
        Dashboard(
            subject.topics,
            vehicle: subject.vehicle,
            from: self.feed.source,
            size: terminal.size,
            isColored: Terminal.isColored
        )
    }
}
