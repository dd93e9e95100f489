// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Base
import Configuration
import EventLoop
import Logging
import OBD2
import Simulator

/// Many agents in one process, each in a simulated vehicle of its own: a load for brokers and their subscribers.
///
/// Each is the whole agent, with its own session, store and connection; only the adapter and the vehicle are simulated.
struct SimulatedFleet: Sendable {
    /// The number of agents that start in a second, because the drivers of a fleet do not start at the same moment.
    static let startRate = 50
    /// The most vehicles in one process.
    ///
    /// libmosquitto waits with select(2), which supports descriptors up to 1023, and each connection has four.
    static let limit = 240
    /// The largest number of a vehicle, which is part of its VIN.
    static let lastNumber = 99_999

    /// The delivery of all agents to their brokers.
    struct Progress: Hashable, Sendable, CustomStringConvertible {
        /// The number of agents that run, and of those that a broker has accepted.
        var running = 0
        var online = 0
        /// The number of records that were made, that wait for a broker, and that were dropped.
        var numbered: UInt64 = 0
        var waiting = 0
        var dropped = 0

        var description: String {
            """
            vehicles \(self.running), online \(self.online), records \(self.numbered), waiting \(self.waiting), \
            dropped \(self.dropped)
            """
        }
    }

    private let agents: [Agent]
    private let clock: any MonotonicClock

    /// Creates the agents.
    ///
    /// None runs yet.
    ///
    /// - Parameters:
    ///   - numbers: the vehicles' numbers, at most ``limit`` from 1 to ``lastNumber``. On the same machine a number is
    ///     always the same vehicle.
    ///   - configuration: the common configuration. The adapter and the vehicle's name are ignored, and nothing is
    ///     written to the disk.
    ///   - logger: the logger of the agents.
    /// - Throws: ``AgentError`` if a file that the configuration names cannot be read.
    init(of numbers: ClosedRange<Int>, _ configuration: Configuration, logger: Logger) async throws {
        precondition(
            numbers.count <= Self.limit && numbers.lowerBound > 0 && numbers.upperBound <= Self.lastNumber,
            "the command line checks the numbers"
        )
        var configuration = configuration
        configuration.vehicle = .init(identity: configuration.vehicle.identity)
        configuration.store.directory = nil
        configuration.homeAssistant.isEnabled = false
        var surroundings = Surroundings.real
        surroundings.runtimeDirectory = nil
        surroundings.stateDirectory = nil
        let machine = surroundings.machine
        var agents: [Agent] = []
        for number in numbers {
            surroundings.machine = machine.simulated(number)
            surroundings.simulatedAdapter = .init(open: Self.opener(number, surroundings.clock))
            agents.append(try await Agent.prepare(configuration, in: surroundings, logger: logger))
        }
        self.agents = agents
        self.clock = surroundings.clock
    }

    /// Returns the opener of the adapter in the vehicle of that number.
    ///
    /// Every tenth vehicle has trouble codes.
    private static func opener(_ number: Int, _ clock: any MonotonicClock) -> AdapterOpener.Opener {
        var options = SimulatedVehicle.Options()
        options.seed = UInt64(number)
        options.vin = "ZZZSMVLATR4\(100_000 + number)"
        if number.isMultiple(of: 10) { options.codes = [DTC(rawValue: 0x0301), DTC(rawValue: 0x0420)] }
        // The vehicles began their trips at different times.
        let start = clock.now - .seconds(number * 37 % 600)
        let vehicle = SharedVehicle(SimulatedVehicle(options, startedAt: start))
        return { _ in SimulatedLink(vehicle: vehicle, clock: clock) }
    }

    /// Starts the agents in turn, and runs them until the task is cancelled.
    ///
    /// Then all disconnect at the same time.
    ///
    /// - Parameter report: called with the progress every ten seconds, and when all have ended.
    func run(report: @escaping @Sendable (Progress) -> Void) async {
        let groups = self.agents.map { $0.services(signals: [], renewals: []) }
        await withTaskGroup { fleet in
            for (number, group) in groups.enumerated() {
                fleet.addTask {
                    // A cancelled task starts no agent, and a running one ends gracefully.
                    let start = self.clock.now + .seconds(number) / Self.startRate
                    try? await self.clock.sleep(until: start)
                    guard !Task.isCancelled else { return }
                    await Self.run(group)
                }
            }
            fleet.addTask {
                while !Task.isCancelled {
                    try? await self.clock.sleep(until: self.clock.now + .seconds(10))
                    guard !Task.isCancelled else { return }
                    report(await self.progress)
                }
            }
        }
        report(await self.progress)
    }

    private static func run(_ group: ServiceGroup) async {
        await withTaskCancellationHandler {
            // Not cancelled with its parent: the agent ends gracefully instead.
            try? await Task { try await group.run() }.value
        } onCancel: {
            group.stop()
        }
    }

    private var progress: Progress {
        get async {
            var progress = Progress()
            for agent in self.agents {
                let delivery = await agent.delivery
                if delivery.numbered > 0 { progress.running += 1 }
                if delivery.isOnline { progress.online += 1 }
                progress.numbered += delivery.numbered
                progress.waiting += delivery.waiting
                progress.dropped += delivery.dropped
            }
            return progress
        }
    }
}
