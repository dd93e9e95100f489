// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Configuration
import Contract
import EventLoop
import Store

struct ClockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Shows whether this machine's clock is trusted, and makes the agent run commands again.",
        discussion: """
            If the clock is earlier than the latest trusted time, it was set back. The agent then runs only commands of \
            the role observer, which read, because it cannot tell whether others have expired (clock_unknown). The same \
            holds while the clock is not synchronized, unless [clock] trust says otherwise. If the clock is right, \
            and the latest trusted time was wrong, --reset makes the present time the latest trusted one. Commands that \
            were issued before no longer change the vehicle. Needs neither the vehicle nor a running agent, and no \
            restart.

            Examples:
              sudo obd-agent clock
              sudo obd-agent clock --reset
            """
    )

    @OptionGroup var recorded: RecordingDirectory

    @Flag(name: .long, help: "Make the present time the latest trusted one.")
    var reset = false

    func run() throws {
        let kernel = KernelClock.now
        let now = Timestamp(milliseconds: kernel.millisecondsSince1970)
        let trust = (try? self.recorded.configuration.read().clock.trust) ?? .kernel
        let trustsSystem = trust == .system
        let recording = try self.recorded.open()
        do {
            if self.reset {
                guard kernel.isSynchronised || trustsSystem else {
                    throw CommandFailure(
                        .unavailable,
                        "the clock is not synchronized, so its time is not trusted. Try: timedatectl set-ntp true"
                    )
                }
                try recording.resetDates(to: now)
            }
            let latest = try recording.latestDate()
            Console.print("now                  \(now)")
            Console.print("synchronized         \(Self.text(kernel, trust))")
            Console.print("latest trusted time  \(latest?.description ?? "none yet; there is one after ten minutes")")
            Console.print("commands             \(Self.effect(kernel.isSynchronised || trustsSystem, now, latest))")
        } catch let error as StoreError {
            throw CommandFailure(.noInput, "\(error)")
        }
    }

    private static func text(_ kernel: KernelClock, _ trust: Configuration.Clock.Trust) -> String {
        if kernel.isSynchronised { return "yes" }
        return switch trust {
        case .kernel: "no"
        case .system: "no, but trusted: [clock] trust = \"system\""
        case .gps: "no; the running agent trusts it once it agrees with the satellites"
        }
    }

    private static func effect(_ isTrusted: Bool, _ now: Timestamp, _ latest: Timestamp?) -> String {
        guard isTrusted else {
            let next = "timedatectl set-ntp true; or, without a network, \(MachineCheck.trusting)"
            return "only those of the role observer are run. Try: \(next)"
        }
        guard let latest, now + Recording.dateTolerance < latest else { return "all are run" }
        let seconds = Int((latest - now).seconds)
        return """
            only those of the role observer are run: the clock is \(seconds) s earlier than the latest trusted time. \
            Try: timedatectl; if the clock is right, obd-agent clock --reset
            """
    }
}
