// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import Logging
import OBD2
import Parking

/// The events of a session, without repetitions of states.
final class SessionEvents {
    private let send: @Sendable (SessionEvent) -> Void
    private let logger: Logger
    private var lastLink: LinkState?
    private var lastParking: ParkingReport?

    init(_ send: @escaping @Sendable (SessionEvent) -> Void, _ logger: Logger) {
        self.send = send
        self.logger = logger
    }

    func emit(_ event: SessionEvent) { self.send(event) }

    /// Reports a state of the link.
    ///
    /// - Parameter isAtRest: whether the vehicle is parked. Its states repeat with each voltage reading.
    func report(_ state: LinkState, isAtRest: Bool) {
        guard state != self.lastLink || !isAtRest else { return }
        self.lastLink = state
        self.emit(.link(state))
    }

    func report(_ parking: ParkingReport) {
        guard parking != self.lastParking else { return }
        self.lastParking = parking
        self.emit(.parking(parking))
    }

    func logRefusal(of line: String, _ parameters: [String]) {
        self.logger.warning(
            """
            The adapter rejects the command \(line), so these parameters are not polled: \
            \(parameters.joined(separator: " ")). Try: "obd-agent adapter", which shows what this adapter can do
            """
        )
    }

    func logSilence(of destination: Destination, _ parameters: [String]) {
        let names = parameters.prefix(10).joined(separator: " ")
        let more = parameters.count > 10 ? " and \(parameters.count - 10) more" : ""
        self.logger.notice(
            """
            The ECU at \(destination.header) answers no request, so these parameters are not polled in this drive: \
            \(names)\(more). Try: remove them if this vehicle has no such ECU
            """
        )
    }

    func logMissingMaxima(_ pid: PID, of ecus: [ECUAddress]) {
        let values = pid == 0x50 ? "air flow (10)" : "lambda, wide-range oxygen sensors and manifold pressure"
        self.logger.warning(
            """
            \(ecus.map(\.description).joined(separator: " ")) supports PID \(pid) and does not answer it, so the scale of \
            \(values) is not known, and those values are not published. The PID is requested again for ten minutes
            """
        )
    }

    /// Reports once the reason for which the bus is not used, for a moment or for longer.
    ///
    /// - Parameters:
    ///   - isParked: whether the vehicle is parked.
    ///   - isKnown: whether a vehicle has answered before. If none has, a silence is reported as the reason.
    func reportRest(_ error: SessionError, isParked: Bool, isKnown: Bool, isAtRest: Bool) {
        switch error {
        case .parked, .standing:
            if case .waiting(let last, _) = self.lastLink, last.outlastsParking { return }
            self.report(.parked, isAtRest: isAtRest)
        case _ where error.isSilence && isParked && isKnown: self.report(.parked, isAtRest: isAtRest)
        default:
            if self.lastLink != .waiting(error, .zero) {
                self.logger.notice(
                    "No vehicle: \(error)",
                    metadata: [JournalEvent.metadataKey: "\(JournalEvent.noVehicle.rawValue)"]
                )
            }
            self.report(.waiting(error, .zero), isAtRest: isAtRest)
        }
    }
}
