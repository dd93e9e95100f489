// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import Base
import EventLoop
package import Subscriber

/// The duration and the output format of a watch command.
package struct WatchOptions: ParsableArguments {
    @Option(name: .customLong("for"), help: "The time to watch, such as 30s or 5m (default: until q or Ctrl-C).")
    package var time: TimeSpan?

    @Flag(name: .long, help: "Print a JSON object per line, with the topic and the payload.")
    package var json = false

    /// The keys of the dashboard, for the help.
    package static let keys = """
        Keys: q quits, p lists the parameters (the space bar shows or hides one), the arrows scroll, l redraws, ? shows the \
        keys. If NO_COLOR is set, there are no colors.
        """

    package init() {}

    /// The end of the time to watch, counted from now; nil without one.
    package var deadline: MonotonicTime? { self.time.map { BootClock().now + $0.duration } }

    /// Shows a vehicle until the deadline or until the user ends it.
    package func watch(_ feed: LiveFeed, until deadline: MonotonicTime?) async throws {
        try await LiveView(feed: feed, deadline: deadline, printsJSON: self.json).run()
    }
}
