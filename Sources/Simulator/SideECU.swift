// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
internal import ELM327

/// An ECU on CAN that answers a manufacturer's requests, but no functional requests of OBD.
package enum SideECU: CaseIterable, Hashable, Sendable {
    /// The ECU of the traction battery, with an OBD address. `22 01 01` has charge, current and temperature.
    case battery
    /// The ECU of the tire pressure sensors, outside the OBD addresses. `22 C0 0B` has four pressures.
    case tires
    /// An ECU behind a gateway that expects an address before the data on 11-bit CAN.
    ///
    /// `22 DD BC` has the charge. `21 30` has a long answer that ends with the engine speed.
    case gateway

    /// Returns the CAN identifier of requests to the ECU.
    func requestIdentifier(extended: Bool) -> UInt32 {
        switch self {
        case .battery: extended ? 0x18DA_40F1 : 0x7E4
        case .tires: extended ? 0x18DA_C0F1 : 0x7A0
        case .gateway: extended ? 0x17FC_0076 : 0x6F1
        }
    }

    /// Returns the CAN identifier of the ECU's replies.
    package func identifier(extended: Bool) -> UInt32 {
        switch self {
        case .battery: extended ? 0x18DA_F140 : 0x7EC
        case .tires: extended ? 0x18DA_F1C0 : 0x7A8
        case .gateway: extended ? 0x17FE_0076 : 0x607
        }
    }

    /// Returns the addresses before the data of requests and replies (ISO 15765-2, extended addressing).
    ///
    /// Nil without extended addressing.
    func addresses(extended: Bool) -> (request: UInt8, reply: UInt8)? {
        self == .gateway && !extended ? (0x07, 0xF1) : nil
    }

    /// The time that the ECU takes to answer.
    static let latency = Duration.milliseconds(15)
}

extension SimulatedVehicle {
    /// Returns the answer of `ecu` to a request (service byte first) that it receives at `time`.
    ///
    /// While the ignition is off there is no answer.
    package func reply(of ecu: SideECU, to request: [UInt8], at time: MonotonicTime) -> [UInt8]? {
        let state = self.state(at: time)
        guard let service = request.first, state.ignition else { return nil }
        switch (ecu, request) {
        case (.battery, [0x22, 0x01, 0x01]):
            let current = Int16(clamping: Int((state.engineLoad * 20 - 600).rounded()))
            let temperature = Int8(clamping: Int((state.coolant - 70).rounded()))
            return [0x62, 0x01, 0x01, 0xEF, 0xFB, 0xE7, 0xEF, UInt8(clamping: Int((state.fuelLevel * 2).rounded()))]
                + [UInt8(truncatingIfNeeded: current >> 8), UInt8(truncatingIfNeeded: current)]
                + [UInt8(bitPattern: temperature)] + [UInt8](repeating: 0x55, count: 12)
        case (.tires, [0x22, 0xC0, 0x0B]):
            let pressures = (0..<4).map { UInt8(clamping: 44 + $0 + Int(state.vehicleSpeed / 20)) }
            return [0x62, 0xC0, 0x0B, 0xFF, 0xFF] + pressures.flatMap { [$0, 0x20, 0x00] }
        case (.gateway, [0x22, 0xDD, 0xBC]):
            let charge = UInt16(clamping: Int((state.fuelLevel * 10).rounded()))
            return [0x62, 0xDD, 0xBC, UInt8(charge >> 8), UInt8(charge & 0xFF)]
        case (.gateway, [0x21, 0x30]):
            let speed = UInt16(clamping: Int(state.engineSpeed.rounded()))
            return [0x61, 0x30] + [UInt8](repeating: 0xA5, count: 20) + [UInt8(speed >> 8), UInt8(speed & 0xFF)]
        default:
            return [0x7F, service, 0x31]
        }
    }
}

// MARK: - Through the adapter

extension SimulatedAdapter {
    /// Returns the ECU that the header of a request addresses; nil if it addresses none of them.
    func sideECU(on bus: BusProtocol) -> SideECU? {
        guard bus.isCAN, let header = self.settings.header, header.count == 3 else { return nil }
        let digits = UInt32(header[0]) << 16 | UInt32(header[1]) << 8 | UInt32(header[2])
        let extended = bus.hasExtendedIdentifiers
        let identifier = extended ? UInt32(self.settings.priority) << 24 | digits : digits & 0x7FF
        return SideECU.allCases.first { ecu in
            ecu.requestIdentifier(extended: extended) == identifier
                && ecu.addresses(extended: extended)?.request == self.settings.extendedAddress
        }
    }

    /// Returns the frames of the ECU's answer.
    func frames(
        of ecu: SideECU,
        to payload: [UInt8],
        at time: MonotonicTime,
        _ bus: BusProtocol,
        _ vehicle: SimulatedVehicle
    ) -> [BusFrame] {
        let time = time + SideECU.latency
        guard let message = vehicle.reply(of: ecu, to: payload, at: time) else { return [] }
        let address = ecu.addresses(extended: bus.hasExtendedIdentifiers)
        // With extended addressing the ECU ignores the adapter's own flow control frame, which has no address.
        let isFlowing =
            address == nil
            ? self.settings.flowControl || self.settings.flowControlMode == 1
            : self.settings.flowControlMode == 1 && self.settings.flowControlData.first == address?.request
        let room = address == nil ? 7 : 6
        var frames: [[UInt8]]
        if message.count <= room {
            frames = [[UInt8(message.count)] + message]
        } else {
            frames = [[0x10 | UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message.prefix(room - 1)]
            for (index, start) in stride(from: room - 1, to: message.count, by: room).enumerated() where isFlowing {
                frames.append([0x20 | UInt8((index + 1) & 0x0F)] + message[start..<min(start + room, message.count)])
            }
        }
        return frames.enumerated().map { index, bytes in
            BusFrame(
                time: time + .milliseconds(2 * index),
                ecu: .engine,
                sideECU: ecu,
                bytes: (address.map { [$0.reply] } ?? []) + bytes,
                isPending: false
            )
        }
    }
}
