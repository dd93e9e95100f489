// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import Subscriber

/// The duration and the output format of a watch command.
package struct WatchOptions: ParsableArguments {
    @Option(name: .customLong("for"), help: "How long: 30s, 5m; without it, until q or Ctrl-C.")
    package var time: TimeSpan?

    @Flag(name: .long, help: "Print a JSON object a line, with the topic and the payload.")
    package var json = false

    package init() {}

    package func watch(_ vehicle: String, on broker: RemoteBroker) async throws {
        let watching = Watching(broker: broker, vehicle: vehicle, time: self.time?.duration, isJSON: self.json)
        try await watching.run()
    }
}
