// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A request of SAE J1979: a service and the bytes after it.
package struct Request: Hashable, Sendable {
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

    /// Requests live data of one to six PIDs; the older buses allow one.
    package static func currentData(_ pids: [PID]) -> Request {
        precondition((1...6).contains(pids.count), "service 01 takes one to six PIDs")
        return Request(service: .currentData, data: pids.map(\.rawValue))
    }

    /// Requests live data of one PID.
    package static func currentData(_ pid: PID) -> Request {
        Request(service: .currentData, data: [pid.rawValue])
    }

    /// Requests a PID's data of a freeze frame; every ECU has frame 0.
    package static func freezeFrame(_ pid: PID, frame: UInt8 = 0) -> Request {
        Request(service: .freezeFrame, data: [pid.rawValue, frame])
    }

    /// Requests the freeze frame data of one to three PIDs; the older buses allow one.
    package static func freezeFrame(_ pids: [PID], frame: UInt8 = 0) -> Request {
        precondition((1...3).contains(pids.count), "service 02 takes one to three PIDs")
        return Request(service: .freezeFrame, data: pids.flatMap { [$0.rawValue, frame] })
    }

    /// Requests the confirmed codes.
    package static let confirmedCodes = Request(service: .confirmedCodes)
    /// Requests the pending codes.
    package static let pendingCodes = Request(service: .pendingCodes)
    /// Requests the permanent codes.
    package static let permanentCodes = Request(service: .permanentCodes)
    /// Clears the codes; the module `Commands` guards the request.
    package static let clearCodes = Request(service: .clearCodes)

    /// Requests the results of one monitor's tests on CAN.
    package static func monitorTests(_ monitor: MonitorID) -> Request {
        Request(service: .monitorTests, data: [monitor.rawValue])
    }

    /// Requests the results of one test on the buses before CAN.
    package static func componentTests(_ test: UInt8) -> Request {
        Request(service: .monitorTests, data: [test])
    }

    /// Requests one test of one oxygen sensor on the buses before CAN.
    ///
    /// - Parameter sensor: the bit of the sensor, in the order of PID 13 or 1D.
    package static func oxygenSensorTest(_ test: UInt8, sensor: UInt8) -> Request {
        Request(service: .oxygenSensorTests, data: [test, sensor])
    }

    /// Requests one item of vehicle information.
    package static func vehicleInformation(_ type: InfoType) -> Request {
        Request(service: .vehicleInformation, data: [type.rawValue])
    }

    /// The PIDs of a request of service 01, in order; empty for the other services.
    package var pids: [PID] {
        self.service == .currentData ? self.data.map(PID.init(rawValue:)) : []
    }

    /// The bytes that a positive reply repeats after its service byte.
    ///
    /// A request of several PIDs has no echo: each PID precedes its own data, and the reply can omit any of them.
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
