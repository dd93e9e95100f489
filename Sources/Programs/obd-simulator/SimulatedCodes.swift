// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Base
import CommandLine
import ELM327
import OBD2
import Simulator

/// The codes of a simulated vehicle, in the form of its dialect.
struct SimulatedCodes {
    private let codes: [TroubleCode]

    /// Parses codes that are separated by commas.
    init(_ text: String) throws {
        self.codes = try text.split(separator: ",").map { word in
            guard let code = TroubleCode(String(word)) else {
                throw CommandFailure(
                    .usage,
                    "\"\(word)\" is no code",
                    next: "P0301, on UDS P0301-1F, on J1939 SPN110-FMI0."
                )
            }
            return code
        }
    }

    /// Returns the codes of a vehicle on J1939.
    private func faults() throws -> [DiagnosticMessage.Entry] {
        try self.codes.map { code in
            guard case .j1939(let spn, let fmi) = code else {
                throw CommandFailure(.usage, "\(code) is no code of J1939", next: "a code such as SPN110-FMI0.")
            }
            return DiagnosticMessage.Entry(spn: spn, fmi: fmi, occurrences: 1)
        }
    }

    /// Returns the codes of a vehicle on any other bus.
    private func dtcs(_ options: inout SimulatedVehicle.Options) throws -> [DTC] {
        try self.codes.map { code in
            switch code {
            case .j2012(let dtc): return dtc
            case .j2012Failure(let dtc, let type) where options.dialect == .j1979Part2:
                options.part2.failureTypes[dtc] = type
                return dtc
            case .j2012Failure, .j1939:
                throw CommandFailure(
                    .usage,
                    "\(code) does not fit the vehicle's dialect",
                    next: "another --protocol or --dialect."
                )
            }
        }
    }

    /// Sets the codes of a vehicle whose bus and dialect are set.
    static func apply(
        confirmed: String,
        pending: String,
        permanent: String,
        to options: inout SimulatedVehicle.Options
    ) throws {
        if options.bus == .j1939 {
            options.activeJ1939Codes = try SimulatedCodes(confirmed).faults()
            options.pendingJ1939Codes = try SimulatedCodes(pending).faults()
            options.permanentJ1939Codes = try SimulatedCodes(permanent).faults()
        } else {
            options.codes = try SimulatedCodes(confirmed).dtcs(&options)
            options.pendingCodes = try SimulatedCodes(pending).dtcs(&options)
            options.permanentCodes = try SimulatedCodes(permanent).dtcs(&options)
        }
    }
}
