// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import UnixSignals

/// A part of the agent that runs from the start of the agent to its stop.
protocol Service: Sendable {
    /// Runs until `stop` is made, and then finishes what the service has begun.
    func run(until stop: StopRequest) async
}

/// The services of the agent, which start in order and stop one after the other in the reverse order.
package final class ServiceGroup: Sendable {
    /// A service has ended although nothing has asked it to.
    struct UnexpectedEnd: Error, CustomStringConvertible {
        let service: String
        var description: String { "\(self.service) has ended by itself. Try: obd-agent diagnose, and report it" }
    }

    private enum Event {
        case ended(Int)
        case stopRequested
    }

    private let services: [any Service]
    private let signals: [UnixSignal]
    private let request = StopRequest()

    /// - Parameter signals: the signals that stop the group.
    init(_ services: [any Service], stoppingAt signals: [UnixSignal]) {
        self.services = services
        self.signals = signals
    }

    /// Stops the services in order; ``run()`` returns once all have ended.
    package func stop() { self.request.make() }

    /// Runs the services until ``stop()``, a signal, or the end of one of them.
    ///
    /// A cancelled task cancels all services at once.
    ///
    /// - Throws: if a service has ended by itself.
    package func run() async throws {
        // The signals stay trapped until the last service has ended: a second one must not end the process.
        let trapped = self.signals.isEmpty ? nil : await UnixSignalsSequence(trapping: self.signals)
        let stops = self.services.map { _ in StopRequest() }
        let first = await withTaskGroup(of: Event.self) { group in
            for (number, (service, stop)) in zip(self.services, stops).enumerated() {
                group.addTask {
                    await service.run(until: stop)
                    return .ended(number)
                }
            }
            group.addTask {
                await self.request.wait()
                return .stopRequested
            }
            if let trapped {
                group.addTask {
                    for await _ in trapped { break }
                    return .stopRequested
                }
            }
            let first = await group.next()
            var running = Set(self.services.indices)
            if case .ended(let number) = first { running.remove(number) }
            for number in self.services.indices.reversed() {
                stops[number].make()
                while running.contains(number), let event = await group.next() {
                    if case .ended(let other) = event { running.remove(other) }
                }
            }
            group.cancelAll()
            return first
        }
        withExtendedLifetime(trapped) {}
        if case .ended(let number) = first, !Task.isCancelled {
            throw UnexpectedEnd(service: "\(type(of: self.services[number]))")
        }
    }
}
