// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What is asked of the vehicle: a service and the bytes after it.
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

    /// Live data of one to six PIDs; the older buses take one.
    package static func currentData(_ pids: [PID]) -> Request {
        precondition((1...6).contains(pids.count), "service 01 takes one to six PIDs")
        return Request(service: .currentData, data: pids.map(\.rawValue))
    }

    /// Live data of one PID.
    package static func currentData(_ pid: PID) -> Request {
        Request(service: .currentData, data: [pid.rawValue])
    }

    /// What a PID was when a code was stored. Frame 0 is the one that every ECU has.
    package static func freezeFrame(_ pid: PID, frame: UInt8 = 0) -> Request {
        Request(service: .freezeFrame, data: [pid.rawValue, frame])
    }

    /// The confirmed codes.
    package static let confirmedCodes = Request(service: .confirmedCodes)
    /// The pending codes.
    package static let pendingCodes = Request(service: .pendingCodes)
    /// The permanent codes.
    package static let permanentCodes = Request(service: .permanentCodes)
    /// Clears the codes. Everything that guards this stands elsewhere.
    package static let clearCodes = Request(service: .clearCodes)

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
        case .freezeFrame, .oxygenSensorTests: Array(self.data.prefix(2))
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
