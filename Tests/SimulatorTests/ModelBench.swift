// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Testing

@testable import Simulator

extension Bench {
    /// A round of an electric vehicle: each phase takes 1,000 s, so the number of a phase is that of its thousand.
    static let round = VehiclePhase.Kind.allCases.map { VehiclePhase($0, .seconds(1000)) }

    /// Creates a bench with a vehicle of `model` in the middle of a phase, and performs `commands`.
    static func model(
        _ model: VehicleModel,
        in kind: VehiclePhase.Kind = .drive,
        _ commands: [String] = [],
        phases: [VehiclePhase] = Self.round,
        seed: UInt64 = 1,
        vin: String? = nil
    ) throws -> Bench {
        var bench = Bench()
        var options = SimulatedVehicle.Options(model)
        (options.phases, options.seed) = (phases, seed)
        if let vin { options.vin = vin }
        bench.vehicle = SimulatedVehicle(options)
        let index = try #require(phases.firstIndex { $0.kind == kind })
        bench.time = MonotonicTime(sinceBoot: phases.prefix(index).reduce(.seconds(517)) { $0 + $1.duration })
        for command in ["ATE0", "ATSP\(model.bus.number)"] + commands { _ = bench.send("\(command)\r") }
        return bench
    }

    /// Returns the data of the answer to a request, without service and identifier; nil without a positive answer.
    mutating func data(_ request: String) -> [UInt8]? {
        let lines = self.lines(request)
        let texts = lines.count > 1 ? lines.dropFirst().map { String($0.dropFirst(2)) } : lines
        let digits = texts.joined().filter { $0 != " " }
        guard var bytes = [UInt8](hexadecimal: digits), bytes.count >= request.count / 2 else { return nil }
        if lines.count > 1, let length = Int(lines[0], radix: 16) { bytes = Array(bytes.prefix(length)) }
        let head = [UInt8](hexadecimal: request) ?? []
        guard bytes.first == head[0] | 0x40 else { return nil }
        return Array(bytes.dropFirst(head.count))
    }

    /// Returns the data of the answer to a request, which must be positive.
    mutating func answer(_ request: String) throws -> [UInt8] {
        let data = self.data(request)
        return try #require(data, "\(request)")
    }

    /// The state of the vehicle now.
    var state: VehicleState { self.vehicle.state(at: self.time) }
}

extension [UInt8] {
    /// Returns the unsigned number in the bits from `first` on, as the OBDb project counts them.
    func number(_ first: Int, _ length: Int) -> Double {
        var number = 0
        for bit in first..<first + length {
            let shift = 7 - bit % 8
            number = number << 1 | Int(self[bit / 8] >> shift & 1)
        }
        return Double(number)
    }

    /// Returns the signed number in the bits from `first` on.
    func signed(_ first: Int, _ length: Int) -> Double {
        let number = self.number(first, length)
        return self.number(first, 1) == 1 ? number - Double(1 << length) : number
    }
}
