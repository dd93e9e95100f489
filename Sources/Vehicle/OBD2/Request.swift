// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// What is asked of the vehicle: a service and the bytes after it.
package struct Request: Hashable, Sendable {
    /// What kind of answer is wanted.
    package let service: Service
    /// The bytes after the service byte.
    package let data: [UInt8]

    package init(service: Service, data: [UInt8] = []) {
        self.service = service
        self.data = data
    }

    /// The bytes to send.
    package var payload: [UInt8] {
        [self.service.rawValue] + self.data
    }

    /// Live data of one to six PIDs; the older buses take one.
    package static func currentData(_ pids: [PID]) -> Request {
        precondition((1...6).contains(pids.count), "service 01 takes one to six PIDs")
        return Request(service: .currentData, data: pids.map(\.rawValue))
    }

    /// Live data of one PID.
    package static func currentData(_ pid: PID) -> Request {
        Request(service: .currentData, data: [pid.rawValue])
    }

    /// What a PID was when a code was stored; frame 0 is the one that every ECU has.
    package static func freezeFrame(_ pid: PID, frame: UInt8 = 0) -> Request {
        Request(service: .freezeFrame, data: [pid.rawValue, frame])
    }

    /// What up to three PIDs were when a code was stored; the older buses take one.
    package static func freezeFrame(_ pids: [PID], frame: UInt8 = 0) -> Request {
        precondition((1...3).contains(pids.count), "service 02 takes one to three PIDs")
        return Request(service: .freezeFrame, data: pids.flatMap { [$0.rawValue, frame] })
    }

    /// The confirmed codes.
    package static let confirmedCodes = Request(service: .confirmedCodes)
    /// The pending codes.
    package static let pendingCodes = Request(service: .pendingCodes)
    /// The permanent codes.
    package static let permanentCodes = Request(service: .permanentCodes)
    /// Clears the codes; what guards this stands elsewhere.
    package static let clearCodes = Request(service: .clearCodes)

    /// The results of one monitor's tests on CAN.
    package static func monitorTests(_ monitor: MonitorID) -> Request {
        Request(service: .monitorTests, data: [monitor.rawValue])
    }

    /// The results of one test on the buses before CAN.
    package static func componentTests(_ test: UInt8) -> Request {
        Request(service: .monitorTests, data: [test])
    }

    /// One test of one oxygen sensor, on the buses before CAN.
    ///
    /// - Parameter sensor: one bit, in the order of PID 13 or 1D.
    package static func oxygenSensorTest(_ test: UInt8, sensor: UInt8) -> Request {
        Request(service: .oxygenSensorTests, data: [test, sensor])
    }

    /// One item of vehicle information.
    package static func vehicleInformation(_ type: InfoType) -> Request {
        Request(service: .vehicleInformation, data: [type.rawValue])
    }

    /// The PIDs that a service 01 request asks for, in order; empty for the other services.
    package var pids: [PID] {
        self.service == .currentData ? self.data.map(PID.init(rawValue:)) : []
    }

    /// The bytes that a positive reply repeats after its service byte.
    ///
    /// Empty for a request of several PIDs: each of them leads its own data, and any of them may be left out.
    package var echo: [UInt8] {
        switch self.service {
        case .currentData: self.data.count == 1 ? self.data : []
        case .freezeFrame: self.data.count == 2 ? self.data : []
        case .oxygenSensorTests: Array(self.data.prefix(2))
        case .monitorTests, .control, .vehicleInformation: Array(self.data.prefix(1))
        case .confirmedCodes, .clearCodes, .pendingCodes, .permanentCodes: []
        }
    }
}

extension Request: CustomStringConvertible {
    package var description: String {
        self.payload.hexadecimal
    }
}
