// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base
internal import ELM327

/// The sender and the receivers of messages, as the settings of an adapter determine them.
extension AdapterSettings {
    /// Returns the CAN identifier of requests by `AT SH` and `AT CP`; nil without a header.
    func requestIdentifier(on bus: BusProtocol) -> UInt32? {
        guard bus.isCAN, let header = self.header, header.count == 3 else { return nil }
        let digits = UInt32(header[0]) << 16 | UInt32(header[1]) << 8 | UInt32(header[2])
        return bus.hasExtendedIdentifiers ? UInt32(self.priority) << 24 | digits : digits & 0x7FF
    }

    /// Returns the addressee of the present request header; nil if it addresses no ECU.
    func target(on bus: BusProtocol) -> RequestTarget? {
        guard let header = self.header, header.count == 3 else {
            return !bus.hasExtendedIdentifiers || self.priority == 0x18 ? .functional : nil
        }
        func physical(_ matches: (ECU) -> Bool) -> RequestTarget? {
            ECU.allCases.first(where: matches).map { .physical($0) }
        }
        switch bus {
        case .can11at500, .can11at250:
            let identifier = (UInt32(header[1]) << 8 | UInt32(header[2])) & 0x7FF
            return identifier == 0x7DF ? .functional : physical { $0.identifier - 8 == identifier }
        case .can29at500, .can29at250:
            guard self.priority == 0x18 else { return nil }
            if header[0] == 0xDB, header[1] == 0x33 { return .functional }
            return header[0] == 0xDA ? physical { $0.address == header[1] } : nil
        case .kwp5Baud, .kwpFast:
            return header[1] == 0x33 ? .functional : physical { $0.address == header[1] }
        case .j1850PWM, .j1850VPW, .iso9141:
            return header[1] == 0x6A ? .functional : physical { $0.address == header[1] }
        case .j1939:
            return nil
        }
    }

    /// Whether the receive filter lets `frame` through.
    func passes(_ frame: BusFrame, on bus: BusProtocol) -> Bool {
        guard bus.isCAN else { return true }
        let identifier = frame.identifier(on: bus)
        if let wanted = self.receiveAddress {
            let digits = Array(identifier.hexadecimal(digits: 1))
            guard digits.count == wanted.count, zip(digits, wanted).allSatisfy({ $0 == $1 || $1 == "X" }) else {
                return false
            }
        }
        guard let filter = self.filter, let mask = self.mask else {
            // Without a receive address, only the identifiers of OBD's ECUs pass.
            let usual = bus.hasExtendedIdentifiers ? 0x18DA_F100...0x18DA_F1FF : 0x7E8...0x7EF as ClosedRange<UInt32>
            return self.receiveAddress != nil || usual.contains(identifier)
        }
        return identifier & mask == filter & mask
    }

    /// Whether flow control frames reach `ecu`, so that it sends a long message.
    func flowControlReaches(_ ecu: SideECU, _ address: SideECU.Address, on bus: BusProtocol) -> Bool {
        // With extended addressing the ECU ignores the adapter's own flow control frame, which has no address.
        if let prefix = address.prefix {
            return self.flowControlMode == 1 && self.flowControlData.first == prefix.request
        }
        guard ecu.needsFlowControl else { return self.flowControl || self.flowControlMode == 1 }
        let mask: UInt32 = bus.hasExtendedIdentifiers ? 0xFF_FFFF : 0x7FF
        return self.flowControlMode == 1 && self.flowControlHeader.map { ($0 ^ address.request) & mask == 0 } ?? false
    }
}
