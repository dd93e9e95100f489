// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Logging
import Testing

@testable import Agent

@Suite("The lines of the log about gpsd")
struct PositionNoticesTests {
    /// A log that counts its lines.
    private struct CountingLog: LogHandler {
        let count: Locked<Int>
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) { self.count.withLock { $0 += 1 } }
    }

    /// Returns the number of lines that `body` logs.
    private func lines(_ body: (PositionNotices) -> Void) -> Int {
        let count = Locked(0)
        body(PositionNotices(Logger(label: "test") { _ in CountingLog(count: count) }, at: .zero))
        return count.withLock { $0 }
    }

    @Test("A connection that is made and lost again is two lines, and the same reason is no other one")
    func once() {
        let lines = self.lines { notices in
            notices.connected(to: "3.22", at: .zero)
            for second in 1...100 { _ = notices.lost(because: "refused", at: .zero + .seconds(second)) }
        }
        #expect(lines == 2)
    }

    @Test("A gpsd that greets and closes each connection fills no log")
    func flapping() {
        let lines = self.lines { notices in
            for second in 0..<3600 {
                notices.connected(to: "3.22", at: .zero + .seconds(second))
                #expect(notices.lost(because: "closed", at: .zero + .seconds(second)))
            }
        }
        #expect(lines <= 16)
    }
}
