// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Whom a request goes to and who answers it, where that is not everybody: what has to be set in the adapter for it.
package struct Addressing: Hashable, Sendable {
    /// What a frame starts with.
    package enum Header: Hashable, Sendable {
        case can11(UInt16)
        case can29(UInt32)
        /// Format, target and source of the buses that came before CAN.
        case legacy(UInt8, UInt8, UInt8)
    }

    /// The address bytes of extended addressing (ISO 15765-2), of the request and of its reply.
    package struct Extension: Hashable, Sendable {
        package let request: UInt8
        package let reply: UInt8

        package init(request: UInt8, reply: UInt8) {
            self.request = request
            self.reply = reply
        }
    }

    package let header: Header
    /// The only one who may answer.
    package let responder: ECUAddress
    package let addressExtension: Extension?
    /// Whether the adapter is told how to answer the first frame of a long reply.
    package let setsFlowControl: Bool
    /// How long the adapter waits, in its steps of 4.096 ms; nil as long as always.
    package let wait: UInt8?

    package init(
        header: Header,
        responder: ECUAddress,
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

extension Addressing {
    /// One thing to set, and how it becomes again what it was.
    struct Setting: Hashable, Sendable {
        /// Ways to set it, the best first; each is one line or several.
        let ways: [Way]

        struct Way: Hashable, Sendable {
            let lines: [String]
            /// Ways to undo it, the best first; none where nothing has to be undone.
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

    /// What to set for a request on `bus`, in this order.
    func settings(on bus: BusProtocol) -> [Setting] {
        self.headerSettings(on: bus) + self.filterSettings + self.extensionSettings + self.flowControlSettings
            + (self.wait.map { [Setting(.init("ATST\(hexadecimal($0))", undo: "ATST32"))] } ?? [])
    }

    private func headerSettings(on bus: BusProtocol) -> [Setting] {
        switch self.header {
        case .can11(let identifier):
            return [Setting(.init("ATSH\(digits(identifier))", undo: "ATSH7DF"))]
        case .can29(let identifier):
            let priority = UInt8(identifier >> 24 & 0x1F)
            let rest = String(digits(identifier).suffix(6))
            // 18 is what the adapter puts there by itself.
            let own = priority == 0x18 ? [] : [Setting(.init("ATCP\(hexadecimal(priority))", undo: "ATCP18"))]
            return own + [Setting(.init("ATSH\(rest)", undo: "ATSHDB33F1"))]
        case .legacy(let format, let target, let source):
            let usual =
                switch bus {
                case .j1850PWM: "616AF1"
                case .kwp5Baud, .kwpFast: "C233F1"
                default: "686AF1"
                }
            let digits = hexadecimal([format, target, source])
            return [Setting(.init("ATSH\(digits)", undo: "ATSH\(usual)"))]
        }
    }

    /// Who answers outside of what an adapter lets through by itself has to be let through.
    private var filterSettings: [Setting] {
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

    /// Header and data come before the mode that uses them; in mode 0 they mean nothing.
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

/// An 11-bit identifier as three digits.
private func digits(_ identifier: UInt16) -> String {
    let digits = String(identifier & 0x7FF, radix: 16, uppercase: true)
    return String(repeating: "0", count: 3 - digits.utf8.count) + digits
}

/// A 29-bit identifier as eight digits.
private func digits(_ identifier: UInt32) -> String {
    let digits = String(identifier & 0x1FFF_FFFF, radix: 16, uppercase: true)
    return String(repeating: "0", count: 8 - digits.utf8.count) + digits
}
