// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Configuration
import EventLoop
import Logging
import OBD2
import ServiceLifecycle
import Simulator
import Base

/// Many agents in one process, each in a simulated vehicle of its own: a load for brokers and for those who listen.
///
/// Each is the whole agent, with its own session, store and connection; only the adapter and the vehicle are invented.
struct SimulatedFleet: Sendable {
    /// How many agents may be started in a second: a fleet does not turn its keys all at once.
    static let startRate = 50
    /// More take another process: libmosquitto waits with select(2), which knows no descriptor above 1023, and each
    /// connection has four.
    static let limit = 240
    /// The number of the last vehicle: it stands in the VIN.
    static let lastNumber = 99_999

    /// How all of them get on with their brokers.
    struct Progress: Hashable, Sendable, CustomStringConvertible {
        /// How many run, and how many of them a broker has accepted.
        var running = 0
        var online = 0
        /// How many records they have numbered, how many of those wait for a broker, and how many they had to drop.
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

    /// Puts them together; nothing runs yet.
    ///
    /// - Parameters:
    ///   - numbers: which of them, at most ``limit`` from 1 to ``lastNumber``. A number is always the same vehicle, on
    ///     the same machine.
    ///   - configuration: what they have in common. The adapter and the vehicle's name count for nothing; nothing is
    ///     kept on the disk.
    ///   - logger: told of what goes wrong.
    /// - Throws: ``AgentError`` where a file that the configuration names can't be read.
    init(of numbers: ClosedRange<Int>, _ configuration: Configuration, logger: Logger) async throws {
        precondition(
            numbers.count <= Self.limit && numbers.lowerBound > 0 && numbers.upperBound <= Self.lastNumber,
            "the command line has judged it"
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

    /// The adapter in the vehicle of that number; every tenth vehicle has trouble codes.
    private static func opener(_ number: Int, _ clock: any MonotonicClock) -> AdapterOpener.Opener {
        var options = SimulatedVehicle.Options()
        options.seed = UInt64(number)
        options.vin = "ZZZSMVLATR4\(100_000 + number)"
        if number.isMultiple(of: 10) { options.codes = [DTC(rawValue: 0x0301), DTC(rawValue: 0x0420)] }
        // They have been on their way for different times.
        let start = clock.now - .seconds(number * 37 % 600)
        let vehicle = SharedVehicle(SimulatedVehicle(options, startedAt: start))
        return { _ in SimulatedLink(vehicle: vehicle, clock: clock) }
    }

    /// Starts one after the other, and runs them until the task is cancelled; then all say goodbye at the same time.
    ///
    /// - Parameter report: told how they get on, every ten seconds and when all have ended.
    func run(report: @escaping @Sendable (Progress) -> Void) async {
        let groups = self.agents.map { $0.services(signals: [], renewals: []) }
        await withTaskGroup { fleet in
            for (number, group) in groups.enumerated() {
                fleet.addTask {
                    // A task that is cancelled is not started, and one that runs ends in order.
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
            // Shielded: it is told to stop, not cut off.
            try? await Task { try await group.run() }.value
        } onCancel: {
            Task { await group.triggerGracefulShutdown() }
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
