// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Collect
import CommandLine
import EventLoop
import Glibc
import Logging
import Subscriber
import Systemd

/// Reports the state of a collector: to systemd, in the file of the state, in that of the metrics, and on a terminal.
final class CollectReporter: Sendable {
    private static let interval = Duration.seconds(1)
    private static let fileInterval = Duration.seconds(5)
    private static let metricsInterval = Duration.seconds(15)
    private static let lineInterval = Duration.seconds(5)

    private struct State {
        var isReady = false
        var isStopping = false
        var sentence: String?
        var nextFile = MonotonicTime.zero
        /// The times from which the connections to broker and database stand, as the file of the state has them.
        var connections: [Timestamp?] = []
        var nextMetrics = MonotonicTime.zero
        var nextLine: MonotonicTime
        /// The files that could not be written, so that each is reported once.
        var unwritable: Set<String> = []
    }

    private let collector: Collector
    private let settings: CollectSettings
    private let manager: ServiceManager?
    private let logger: Logger
    private let clock = BootClock()
    private let isTerminal = isatty(2) == 1
    private let state: Locked<State>

    /// - Parameter manager: the service manager; nil without one.
    init(_ collector: Collector, settings: CollectSettings, manager: ServiceManager?, logger: Logger) {
        self.collector = collector
        self.settings = settings
        self.manager = manager
        self.logger = logger
        self.state = Locked(State(nextLine: self.clock.now + Self.lineInterval))
    }

    /// Reports until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            self.report()
            try? await self.clock.sleep(until: self.clock.now + Self.interval)
        }
    }

    /// The collector begins to stop.
    func stopping() {
        self.state.withLock { $0.isStopping = true }
        self.manager?.notify(.stopping, .status("Writing what was received"))
    }

    /// Reports the last state.
    ///
    /// - Parameter printsTotal: whether the total is printed although there is no terminal.
    func finish(printsTotal: Bool) {
        let status = self.collector.status
        self.publish(CollectStatus.bytes(status, isRunning: false, at: .present), at: self.settings.statusFile)
        if let path = self.settings.metrics { self.publish(Array(status.metrics(at: .present).utf8), at: path) }
        if self.isTerminal || printsTotal { Output.note(CollectStatus.line(status, at: .present)) }
    }

    private func report() {
        let (status, now, date) = (self.collector.status, self.clock.now, Timestamp.present)
        self.notify(status, date)
        let (isFileDue, isMetricsDue, isLineDue) = self.state.withLock { state in
            let connections = [status.broker.since, status.database.since]
            // A user who asks must not be told of a connection that is gone, nor miss one that is there.
            if connections != state.connections { state.nextFile = now }
            state.connections = connections
            let due = (now >= state.nextFile, now >= state.nextMetrics, now >= state.nextLine)
            if due.0 { state.nextFile = now + Self.fileInterval }
            if due.1 { state.nextMetrics = now + Self.metricsInterval }
            if due.2 { state.nextLine = now + Self.lineInterval }
            return due
        }
        if isFileDue {
            self.publish(CollectStatus.bytes(status, isRunning: true, at: date), at: self.settings.statusFile)
        }
        if isMetricsDue, let path = self.settings.metrics {
            self.publish(Array(status.metrics(at: date).utf8), at: path)
        }
        if isLineDue, self.isTerminal { Output.note(CollectStatus.line(status, at: date)) }
    }

    private func notify(_ status: CollectorStatus, _ date: Timestamp) {
        guard let manager else { return }
        let sentence = CollectStatus.sentence(status)
        let (isFirst, isReady, isNew) = self.state.withLock { state in
            let isFirst = !state.isReady && status.isConnected
            if isFirst { state.isReady = true }
            let isNew = state.sentence != sentence && !state.isStopping
            state.sentence = sentence
            return (isFirst, state.isReady, isNew)
        }
        if isFirst { manager.notify(.ready) }
        if isNew { manager.notify(.status(sentence)) }
        // Half of the watchdog's time, so that a slow call is no reason to kill the process.
        if isReady, let watchdog = manager.watchdog, self.collector.isAlive(within: watchdog / 2) {
            manager.notify(.alive)
        }
    }

    private func publish(_ bytes: [UInt8], at path: String) {
        guard let problem = TextFile.publish(bytes, at: path) else {
            self.state.withLock { _ = $0.unwritable.remove(path) }
            return
        }
        let isNew = self.state.withLock { $0.unwritable.insert(path).inserted }
        if isNew { self.logger.warning("\(path) can't be written: \(problem)") }
    }
}
