// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// An ECU on CAN that answers a manufacturer's requests, but no functional requests of OBD.
package struct SideECU: Sendable {
    /// The CAN identifiers of requests to an ECU and of its replies.
    struct Address: Sendable {
        let request: UInt32
        let reply: UInt32
        /// The addresses before the data of requests and replies (ISO 15765-2, extended addressing).
        var prefix: (request: UInt8, reply: UInt8)?
    }

    let name: String
    /// The address on 11-bit CAN, and on 29-bit CAN; nil where the vehicle lacks the ECU.
    let standard: Address?
    let extended: Address?
    /// Whether the ECU expects flow control at its own address.
    ///
    /// An adapter derives another address from the reply, so the client has to set it.
    var needsFlowControl = false
    /// Whether the ECU answers while the vehicle charges.
    var reportsCharge = false
    /// The code of the negative response to a request for another service.
    var refusal: UInt8 = 0x11
    let answers: [Answer]

    /// The time that the ECU takes to answer.
    static let latency = Duration.milliseconds(15)

    /// A request and the data of its answer.
    struct Answer: Sendable {
        /// The service and its identifier, such as `22 01 01`.
        let request: [UInt8]
        /// The data after the identifier; fields replace a part of it.
        let data: [UInt8]
        let fields: [Field]
        /// Whether the VIN follows the data.
        var endsWithVIN = false

        /// Returns the whole answer, service byte first.
        func encode(_ state: VehicleState, vin: String) -> [UInt8] {
            var data = self.data
            for field in self.fields { field.write(state, to: &data) }
            return [self.request[0] | 0x40] + self.request.dropFirst() + data
                + (self.endsWithVIN ? Array(vin.utf8) : [])
        }
    }

    /// A number in the data of an answer.
    struct Field: Sendable {
        /// The first byte, counted from zero.
        let byte: Int
        let count: Int
        var isSigned = false
        var isLittleEndian = false
        /// Returns the number as it is sent, which is rounded and limited to the field.
        let raw: @Sendable (VehicleState) -> Double

        func write(_ state: VehicleState, to data: inout [UInt8]) {
            let bits = self.count * 8
            let limits: ClosedRange<Double> =
                self.isSigned
                ? -Double(1 << (bits - 1))...Double(1 << (bits - 1) - 1) : 0...Double(1 << bits - 1)
            let number = Int(min(max(self.raw(state).rounded(), limits.lowerBound), limits.upperBound))
            for index in 0..<self.count {
                let shift = 8 * (self.isLittleEndian ? index : self.count - 1 - index)
                data[self.byte + index] = UInt8(truncatingIfNeeded: number >> shift)
            }
        }
    }

    /// Returns the address of the ECU.
    func address(extended: Bool) -> Address? { extended ? self.extended : self.standard }

    /// Returns the CAN identifier of the ECU's replies; nil if the vehicle lacks the ECU on such a bus.
    package func identifier(extended: Bool) -> UInt32? { self.address(extended: extended)?.reply }

    /// Whether the ECU has an answer of this service.
    func supports(service: UInt8?) -> Bool { self.answers.contains { $0.request.first == service } }
}

// MARK: - Building the tables

extension SideECU.Answer {
    /// - Parameter length: the bytes of the data, which are zero where neither `head` nor a field has others.
    init(_ request: [UInt8], length: Int, head: [UInt8] = [], _ fields: SideECU.Field...) {
        let zeros = [UInt8](repeating: 0, count: max(0, length - head.count))
        self.init(request: request, data: head + zeros, fields: fields)
    }

    /// Returns the answer with the VIN (ISO 14229-1, C.1, for `22 F1 90`).
    static func vin(_ request: [UInt8] = [0x22, 0xF1, 0x90]) -> Self {
        Self(request: request, data: [], fields: [], endsWithVIN: true)
    }
}

extension SideECU.Field {
    /// Returns an unsigned number, most significant byte first.
    static func unsigned(_ byte: Int, _ count: Int, _ raw: @escaping @Sendable (VehicleState) -> Double) -> Self {
        Self(byte: byte, count: count, raw: raw)
    }

    /// Returns a signed number, most significant byte first.
    static func signed(_ byte: Int, _ count: Int, _ raw: @escaping @Sendable (VehicleState) -> Double) -> Self {
        Self(byte: byte, count: count, isSigned: true, raw: raw)
    }

    /// Returns a number of two bytes, least significant byte first.
    static func little(_ byte: Int, isSigned: Bool = false, _ raw: @escaping @Sendable (VehicleState) -> Double) -> Self
    {
        Self(byte: byte, count: 2, isSigned: isSigned, isLittleEndian: true, raw: raw)
    }

    /// Returns a byte of flags: `base`, and each mask whose condition holds.
    static func flags(
        _ byte: Int,
        base: UInt8 = 0,
        _ flags: (UInt8, @Sendable (VehicleState) -> Bool)...
    ) -> Self {
        Self(byte: byte, count: 1) { state in Double(flags.reduce(base) { $1.1(state) ? $0 | $1.0 : $0 }) }
    }
}

// MARK: - In the vehicle

extension SimulatedVehicle {
    /// The ECUs that answer requests of the maker.
    package var sideECUs: [SideECU] { self.options.model.sideECUs }

    /// Returns the answer of `ecu` to a request (service byte first) that it receives at `time`.
    ///
    /// There is no answer while the ECU is asleep: with the ignition off, or in a charge that it does not report.
    package func reply(of ecu: SideECU, to request: [UInt8], at time: MonotonicTime) -> [UInt8]? {
        let state = self.state(at: time)
        guard let service = request.first, state.isAwake || state.charging && ecu.reportsCharge else { return nil }
        if let answer = ecu.answers.first(where: { $0.request == request }) {
            return answer.encode(state, vin: self.options.vin)
        }
        return [0x7F, service, ecu.supports(service: service) ? 0x31 : ecu.refusal]
    }
}
