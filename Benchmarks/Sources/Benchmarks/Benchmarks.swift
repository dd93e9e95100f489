// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#endif

/// Measures every workload, and fails where one is slower or allocates more than it may.
@main
struct Benchmarks {
    static func main() {
        var isFine = true
        for workload in Workload.all {
            let measurement = Measurement(workload)
            var complaints: [String] = []
            if measurement.perSecond < workload.leastPerSecond {
                complaints.append("fewer than \(Self.text(workload.leastPerSecond)) a second")
            }
            if measurement.perStep < workload.leastPerStep {
                complaints.append("fewer than \(workload.leastPerStep) a step")
            }
            if measurement.allocations > workload.mostAllocations {
                complaints.append("more than \(workload.mostAllocations) allocations")
            }
            isFine = isFine && complaints.isEmpty
            print(
                """
                \(complaints.isEmpty ? "ok  " : "FAIL") \(workload.name): \(Self.text(measurement.perSecond)) \
                \(workload.unit) a second, \(Self.text(measurement.perStep)) a step of the reference, \
                \(Self.text(measurement.allocations)) allocations each\
                \(complaints.map { "; \($0)" }.joined())
                """
            )
        }
        exit(isFine ? 0 : 1)
    }

    /// With three digits that count.
    private static func text(_ number: Double) -> String {
        switch number {
        case 1e6...: "\((number / 1e4).rounded() / 100) million"
        case 100...: "\(Int(number))"
        case 0: "0"
        default: "\((number * 1e5).rounded() / 1e5)"
        }
    }
}
