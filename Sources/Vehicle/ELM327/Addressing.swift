// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The target of a request to one ECU and the ECU that may answer, with the adapter settings that this needs.
package struct Addressing: Hashable, Sendable {
    /// The header that a frame starts with.
    package enum Header: Hashable, Sendable {
        case can11(UInt16)
        case can29(UInt32)
        /// The format, target and source bytes of the buses older than CAN.
        case legacy(UInt8, UInt8, UInt8)
    }

    /// The address bytes of extended addressing (ISO 15765-2), for the request and for its reply.
    package struct Extension: Hashable, Sendable {
        package let request: UInt8
        package let reply: UInt8

        package init(request: UInt8, reply: UInt8) {
            self.request = request
            self.reply = reply
        }
    }

    package let header: Header
    /// The only ECU that may answer; nil for any 29-bit identifier that ends in the source and the target of
    /// ``header``.
    ///
    /// Some ECUs answer a request with one priority with another, or with an identifier of another kind.
    package let responder: ECUAddress?
    package let addressExtension: Extension?
    /// Whether the adapter's flow control (its answer to the first frame of a long reply) is set.
    package let setsFlowControl: Bool
    /// The adapter's wait for a reply, in steps of 4.096 ms; nil for the usual wait.
    package let wait: UInt8?

    package init(
        header: Header,
        responder: ECUAddress?,
        addressExtension: Extension? = nil,
        setsFlowControl: Bool = false,
        wait: UInt8? = nil
    ) {
        self.header = header
        self.responder = responder
        self.addressExtension = addressExtension
        self.setsFlowControl = setsFlowControl
        self.wait = wait
    }
}

extension BusProtocol {
    /// The argument of `AT SH` for requests to all ECUs; of J1939, which has none, that of an old bus.
    var functionalHeader: String {
        switch self {
        case .can11at500, .can11at250: "7DF"
        case .can29at500, .can29at250: "DB33F1"
        case .j1850PWM: "616AF1"
        case .kwp5Baud, .kwpFast: "C233F1"
        case .j1850VPW, .iso9141, .j1939: "686AF1"
        }
    }

    /// The commands that undo the settings of ``Addressing``, but for flow control and extended addresses.
    var baseSettings: [String] {
        (self.hasExtendedIdentifiers ? ["ATCP18"] : []) + ["ATSH\(self.functionalHeader)"]
            + (self.isCAN ? ["ATAR"] : []) + ["ATST32"]
    }
}

extension Addressing {
    /// Returns whether `ecu` may answer.
    func accepts(_ ecu: ECUAddress) -> Bool {
        guard self.responder == nil else { return ecu == self.responder }
        guard let end = self.replyEnd else { return false }
        return switch ecu {
        case .can29(let address): 0xF100 | UInt32(address) == end
        case .can29Identifier(let identifier): identifier & 0xFFFF == end
        case .can11, .legacy, .j1939: false
        }
    }

    /// The last two bytes of the identifier of each reply, if any ECU may answer: the header's, exchanged.
    private var replyEnd: UInt32? {
        guard self.responder == nil, case .can29(let identifier) = self.header else { return nil }
        return identifier << 8 & 0xFF00 | identifier >> 8 & 0xFF
    }
}

extension Addressing {
    /// A setting of the adapter, with the commands that undo it.
    struct Setting: Hashable, Sendable {
        /// The alternative ways to make the setting, the best first.
        ///
        /// Each way is one or more lines.
        let ways: [Way]

        struct Way: Hashable, Sendable {
            let lines: [String]
            /// The alternative undo commands, the best first; empty if nothing must be undone.
            let undo: [String]

            init(_ lines: String..., undo: String...) {
                self.lines = lines
                self.undo = undo
            }
        }

        init(_ ways: Way...) {
            self.ways = ways
        }
    }

    /// Returns the settings for a request on `bus`, in the order in which they are made.
    func settings(on bus: BusProtocol) -> [Setting] {
        self.headerSettings(on: bus) + self.filterSettings + self.extensionSettings + self.flowControlSettings
            + (self.wait.map { [Setting(.init("ATST\(hexadecimal($0))", undo: "ATST32"))] } ?? [])
    }

    private func headerSettings(on bus: BusProtocol) -> [Setting] {
        switch self.header {
        case .can11(let identifier):
            return [Setting(.init("ATSH\(digits(identifier))", undo: "ATSH\(BusProtocol.can11at500.functionalHeader)"))]
        case .can29(let identifier):
            let priority = UInt8(identifier >> 24 & 0x1F)
            let rest = String(digits(identifier).suffix(6))
            // Priority 18 is the adapter's default.
            let own = priority == 0x18 ? [] : [Setting(.init("ATCP\(hexadecimal(priority))", undo: "ATCP18"))]
            return own + [Setting(.init("ATSH\(rest)", undo: "ATSH\(BusProtocol.can29at500.functionalHeader)"))]
        case .legacy(let format, let target, let source):
            let digits = hexadecimal([format, target, source])
            return [Setting(.init("ATSH\(digits)", undo: "ATSH\(bus.functionalHeader)"))]
        }
    }

    /// The receive filter for a responder that the adapter's own filter would block.
    private var filterSettings: [Setting] {
        if let end = self.replyEnd {
            let last = String(ELM327.digits(end).suffix(4))
            // ELM327s before version 1.4b know no X in AT CRA.
            return [
                Setting(
                    .init("ATCF\(ELM327.digits(end))", "ATCM0000FFFF", undo: "ATAR", "ATCRA"),
                    .init("ATCRAXXXX\(last)", undo: "ATCRA", "ATAR")
                )
            ]
        }
        let digits: String
        let mask: String
        switch self.responder {
        case .can11(let identifier) where !(0x7E8...0x7EF ~= identifier):
            (digits, mask) = (ELM327.digits(identifier), "7FF")
        case .can29Identifier(let identifier):
            (digits, mask) = (ELM327.digits(identifier), "1FFFFFFF")
        default: return []
        }
        return [
            Setting(
                .init("ATCRA\(digits)", undo: "ATCRA", "ATAR"),
                .init("ATCF\(digits)", "ATCM\(mask)", undo: "ATAR", "ATCRA")
            )
        ]
    }

    private var extensionSettings: [Setting] {
        guard let addressExtension = self.addressExtension else { return [] }
        let tester: UInt8 = 0xF1
        let reply =
            addressExtension.reply == tester
            ? [] : [Setting(.init("ATTA\(hexadecimal(addressExtension.reply))", undo: "ATTA\(hexadecimal(tester))"))]
        return [Setting(.init("ATCEA\(hexadecimal(addressExtension.request))", undo: "ATCEA"))] + reply
    }

    /// Sets header and data before the mode that uses them: mode 0 ignores both.
    private var flowControlSettings: [Setting] {
        guard self.setsFlowControl else { return [] }
        let identifier: String
        switch self.header {
        case .can11(let header): identifier = digits(header)
        case .can29(let header): identifier = digits(header)
        case .legacy: return []
        }
        let address = self.addressExtension.map { hexadecimal($0.request) } ?? ""
        return [
            Setting(
                .init("ATFCSH\(identifier)", "ATFCSD\(address)300000", "ATFCSM1", undo: "ATFCSM0")
            )
        ]
    }
}

/// Returns an 11-bit identifier as three digits.
private func digits(_ identifier: UInt16) -> String {
    let digits = String(identifier & 0x7FF, radix: 16, uppercase: true)
    return String(repeating: "0", count: 3 - digits.utf8.count) + digits
}

/// Returns a 29-bit identifier as eight digits.
private func digits(_ identifier: UInt32) -> String {
    let digits = String(identifier & 0x1FFF_FFFF, radix: 16, uppercase: true)
    return String(repeating: "0", count: 8 - digits.utf8.count) + digits
}
