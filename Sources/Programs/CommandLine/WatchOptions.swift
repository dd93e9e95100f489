// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import Subscriber

/// The duration and the output format of a watch command.
package struct WatchOptions: ParsableArguments {
    @Option(name: .customLong("for"), help: "The time to watch, such as 30s or 5m (default: until q or Ctrl-C).")
    package var time: TimeSpan?

    @Flag(name: .long, help: "Print a JSON object per line, with the topic and the payload.")
    package var json = false

    package init() {}

    /// Shows the vehicle until the time is up or the user ends it.
    package func watch(_ vehicle: String, on broker: BrokerAccess) async throws {
        let view = LiveView(broker: broker, vehicle: vehicle, duration: self.time?.duration, printsJSON: self.json)
        try await view.run()
    }
}
