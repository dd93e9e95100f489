// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Agent

@Suite("When the machine is switched off")
struct PowerPlanTests {
    private struct Bench {
        var plan = PowerPlan(after: .seconds(1800))
        var now = MonotonicTime.zero

        /// Looks each five seconds for so long; what is done, with its time in seconds.
        mutating func run(
            for duration: Duration,
            parked: Bool = true,
            busy: Bool = false,
            waiting: Int = 0
        ) -> [String] {
            let end = self.now + duration
            var done: [String] = []
            while self.now < end {
                let action = self.plan.conditionsChecked(isParked: parked, isBusy: busy, waiting: waiting, at: self.now)
                if action != .wait { done.append("\(Int(self.now.sinceBoot.seconds)) \(action)") }
                self.now = self.now + .seconds(5)
            }
            return done
        }
    }

    @Test("After the time it says goodbye, and is switched off once the broker has everything, once")
    func off() {
        var bench = Bench()
        #expect(bench.run(for: .seconds(600), parked: false).isEmpty)
        #expect(bench.run(for: .seconds(1810), waiting: 3) == ["2400 announceShutdown"])
        #expect(bench.run(for: .seconds(60), waiting: 1).isEmpty)
        #expect(bench.run(for: .seconds(3600)) == ["2470 powerOff"])
    }

    @Test("A broker that is away delays it by two minutes")
    func noBroker() {
        var bench = Bench()
        #expect(bench.run(for: .seconds(4000), waiting: 7) == ["1800 announceShutdown", "1920 powerOff"])
    }

    @Test("Who uses the vehicle, or works on it, begins the time anew, up to the last moment")
    func anew() {
        var bench = Bench()
        #expect(bench.run(for: .seconds(1700)).isEmpty)
        #expect(bench.run(for: .seconds(10), busy: true).isEmpty)
        #expect(bench.run(for: .seconds(1700)).isEmpty)
        #expect(bench.run(for: .seconds(10), parked: false).isEmpty)
        #expect(bench.run(for: .seconds(1850), waiting: 1) == ["5220 announceShutdown"])
        #expect(bench.run(for: .seconds(10), parked: false, waiting: 1) == ["5270 cancelShutdown"])
        #expect(bench.run(for: .seconds(1790)).isEmpty)
    }

    @Test("What is refused is tried again after as long")
    func refused() {
        var bench = Bench()
        #expect(bench.run(for: .seconds(1900)).count == 2)
        bench.plan.powerOffFailed()
        #expect(bench.run(for: .seconds(1900)) == ["3700 announceShutdown", "3705 powerOff"])
    }
}
