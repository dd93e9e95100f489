// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

@testable import Simulator

/// A vehicle with twelve ECUs of the manufacturer's services, and their 300 parameters in 64 requests.
enum ManyECUs {
    /// The number of requests of each ECU.
    static let requests = [12, 10, 8, 6, 6, 5, 4, 4, 3, 2, 2, 2]
    /// The number of an ECU that the vehicle lacks.
    static let absent = 12

    /// Returns the address of an ECU; those of the first four are among the addresses of OBD.
    private static func address(_ ecu: Int) -> SideECU.Address {
        let request = ecu < 4 ? 0x7E4 + UInt32(ecu) : 0x700 + 0x10 * UInt32(ecu)
        return SideECU.Address(request: request, reply: request + 8)
    }

    private static func needsFlowControl(_ ecu: Int) -> Bool { ecu >= 4 && ecu.isMultiple(of: 2) }

    private static func payload(_ request: Int) -> [UInt8] { [0x22, 0x30, UInt8(request)] }

    static func destination(_ ecu: Int) -> Destination? {
        Destination(
            header: .can11(UInt16(self.address(ecu).request)),
            setsFlowControl: self.needsFlowControl(ecu)
        )
    }

    static var model: VehicleModel {
        VehicleModel(
            name: "many",
            summary: "twelve ECUs",
            powertrain: .combustion,
            bus: .can11at500,
            ecus: [VehicleModel.OBDECU(ecu: .engine)],
            services: nil,
            sideECUs: self.requests.enumerated().map { ecu, count in
                SideECU(
                    name: "\(ecu)",
                    standard: self.address(ecu),
                    extended: nil,
                    needsFlowControl: self.needsFlowControl(ecu),
                    answers: (0..<count).map { request in
                        SideECU.Answer(
                            self.payload(request),
                            length: self.size(ecu, request),
                            head: (0..<UInt8(self.size(ecu, request))).map { $0 &+ UInt8(request) }
                        )
                    }
                )
            },
            battery: nil
        )
    }

    /// Returns the length of an answer: four bytes for five requests of sixteen, and five bytes for the others.
    private static func size(_ ecu: Int, _ request: Int) -> Int {
        (self.requests.prefix(ecu).reduce(0, +) + request) % 16 < 5 ? 4 : 5
    }

    /// Returns the parameters of one request, each a byte of the answer.
    private static func parameters(_ ecu: Int, _ request: Int) throws -> [CustomParameter] {
        let custom = try CustomRequest(payload: self.payload(request), destination: self.destination(ecu))
        return try (0..<self.size(ecu, request)).map { byte in
            CustomParameter(
                request: custom,
                field: Field(custom: "ecu\(ecu)_\(request)_\(byte)", try Formula(["A", "B", "C", "D", "E"][byte]))
            )
        }
    }

    /// Returns the parameters of the twelve ECUs.
    static func parameters() throws -> [CustomParameter] {
        try self.requests.enumerated().flatMap { ecu, count in
            try (0..<count).flatMap { try self.parameters(ecu, $0) }
        }
    }

    /// Returns the parameters of an ECU that the vehicle lacks, and of a request that an ECU refuses.
    static func strangers() throws -> [CustomParameter] {
        try (0..<5).flatMap { try self.parameters(self.absent, $0) } + self.parameters(0, 200)
    }
}
