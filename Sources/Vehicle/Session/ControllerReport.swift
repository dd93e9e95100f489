// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import SocketCAN

/// The state of a CAN controller, and its errors since the agent started.
package struct ControllerReport: Hashable, Sendable {
    /// The settings and the state at the last reading; nil before the first one.
    package private(set) var details: CANDetails?
    /// The number of error frames, which the driver makes up for errors on the bus.
    package private(set) var errorFrames = 0
    /// The number of times that the controller has left the bus while the agent used it.
    package private(set) var busOffs = 0
    /// The counters of the last error frame that had them: some drivers report them nowhere else.
    private var reported: Counters?

    private struct Counters: Hashable, Sendable {
        let transmit: UInt16
        let receive: UInt16
    }

    package init() {}

    /// The transmit error counter (ISO 11898-1); nil if the driver does not report it.
    package var transmitErrors: UInt16? { self.details?.transmitErrors ?? self.reported?.transmit }
    /// The receive error counter (ISO 11898-1); nil if the driver does not report it.
    package var receiveErrors: UInt16? { self.details?.receiveErrors ?? self.reported?.receive }

    /// Notes the settings and the state of the open interface.
    package mutating func detailsRead(_ details: CANDetails) {
        self.details = details
        // An active controller has small counters, which need not be those of the last error.
        if details.state == .active { self.reported = nil }
    }

    /// Notes an error frame.
    package mutating func errorReported(_ report: CANErrorReport) {
        self.errorFrames += 1
        if let transmit = report.transmitErrors, let receive = report.receiveErrors {
            self.reported = Counters(transmit: UInt16(transmit), receive: UInt16(receive))
        }
        guard report.kinds.contains(.busOff) else { return }
        self.busOffs += 1
        // The interface is closed before its state can be read again.
        self.details?.state = .busOff
    }
}
