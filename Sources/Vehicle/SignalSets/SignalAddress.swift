// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// The addresses of a set's request and of its reply, in the digits of the set.
struct SignalAddress: Hashable, Sendable {
    /// An 11-bit identifier, or the two bytes between the priority and the tester in a 29-bit identifier (`hdr`).
    private let header: String
    /// The address of the reply (`rax`), from the last byte to the whole identifier; nil if the set does not tell it.
    private let receiver: String?
    /// The address byte before the data of the request (`eax`).
    private let extended: UInt8?
    /// The tester: the last byte of a 29-bit identifier, or the address byte before the data of the reply (`tst`).
    private let tester: UInt8?
    /// The priority of a 29-bit identifier (`pri`).
    private let priority: String
    /// Whether the request is for a bus older than CAN (`proto`).
    private let isOld: Bool

    private static let usualPriority = "18"

    init(_ command: JSONNode) throws(SignalSetError) {
        self.header = try command.required("hdr").digits(3...4)
        self.receiver = try command.optional("rax")?.digits(2...8)
        self.extended = try command.optional("eax")?.digits(2...2).byte
        self.tester = try command.optional("tst")?.digits(2...2).byte
        self.priority = try command.optional("pri")?.digits(2...2) ?? Self.usualPriority
        self.isOld = try command.optional("proto")?.text == "9141-2"
    }

    /// The difference between the identifiers of reply and request, where the set tells it and no standard does.
    ///
    /// The difference is nil for identifiers of 29 bits, for those of OBD (ISO 15765-4) and for extended addressing.
    var distance: Int? {
        guard self.isManufacturers, self.extended == nil, let request = Int(self.header, radix: 16),
            let receiver, receiver.utf8.count == 3, let reply = Int(receiver, radix: 16)
        else { return nil }
        return reply - request
    }

    /// Whether the header is an 11-bit identifier other than those that ISO 15765-4 assigns.
    private var isManufacturers: Bool {
        guard self.header.utf8.count == 3, let request = Int(self.header, radix: 16) else { return false }
        return request != 0x7DF && !(0x7E0...0x7E7 ~= request)
    }

    /// Returns the destination; nil for a request to all ECUs.
    ///
    /// - Parameter distance: the difference between the 11-bit identifiers of reply and request that the manufacturer
    ///   keeps; nil if it is unknown.
    func destination(distance: Int?) throws(SignalRefusal) -> Destination? {
        let digits = self.requestDigits
        guard let request = Destination.Header(digits) else {
            throw SignalRefusal(.address, "its header \(digits) is not a bus header")
        }
        guard !request.isFunctional else { return nil }
        var responder: Destination.Header?
        if let digits = self.replyDigits {
            responder = Destination.Header(digits)
            guard responder != nil else {
                throw SignalRefusal(.address, "its receive address \(digits) is not a bus header")
            }
        } else if let distance, self.extended == nil, self.isManufacturers, case .can11(let identifier) = request {
            let reply = Int(identifier) + distance
            responder = 0...0x7FF ~= reply ? .can11(UInt16(reply)) : nil
        }
        let destination = Destination(
            header: request,
            responder: responder,
            extendedAddress: self.extended,
            testerAddress: self.tester
        )
        guard let destination else {
            throw SignalRefusal(.address, "its header \(digits) does not say which ECU answers")
        }
        guard request.isDiagnostic else {
            throw SignalRefusal(
                .address,
                "its header \(digits) is not a diagnostic address. Try: set [adapter] "
                    + "non_diagnostic_headers = true in agent.toml, and write the parameter by hand"
            )
        }
        return destination
    }

    /// The whole header of the request, in the digits of the configuration.
    private var requestDigits: String {
        guard self.header.utf8.count == 4 else { return self.header }
        return (self.isOld ? "" : self.priority) + self.header + self.lastByte
    }

    /// The last byte of a header of four digits.
    private var lastByte: String {
        if let tester { return [tester].hexadecimal }
        // Volkswagen's ECUs have one address each, in FC00xx for requests and in FE00xx for replies.
        if self.header == "FC00", let receiver, receiver.utf8.count == 6 { return String(receiver.suffix(2)) }
        return [Destination.tester].hexadecimal
    }

    /// The whole header of the reply, in the digits of the configuration; nil if the set does not tell it.
    private var replyDigits: String? {
        guard let receiver, !self.isOld else { return nil }
        guard self.header.utf8.count == 4 else { return receiver }
        switch receiver.utf8.count {
        case 2:
            // With another priority than the usual one the ECU's address is all that is certain.
            let isOpen = self.priority != Self.usualPriority && self.header == "DA" + receiver
            return isOpen ? nil : "\(self.priority)DA\(self.lastByte)\(receiver)"
        case 4: return "\(self.priority)DA\(receiver)"
        case 6: return self.priority + receiver
        default: return receiver
        }
    }
}

extension String {
    /// The byte that two hexadecimal digits stand for.
    fileprivate var byte: UInt8? { UInt8(self, radix: 16) }
}
