// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2

extension Command.RawOrder {
    /// Reads the arguments of `raw_request`: requests of hexadecimal digits, which cannot form an adapter command.
    init(_ arguments: JSONReader) throws(JSONError) {
        try arguments.allow(["requests", "ecu", "hold"])
        let texts = try arguments.strings("requests")
        guard 1...CommandLimits.rawRequests ~= texts.count else {
            throw arguments.error("requests", "1 to \(CommandLimits.rawRequests) requests")
        }
        let destination = try Self.destination(arguments)
        var requests: [RawRequest] = []
        for (index, text) in texts.enumerated() {
            guard let bytes = CommandDecoder.bytes(text), 1...RawRequest.limit ~= bytes.count else {
                let expected = "1 to \(RawRequest.limit) bytes as hexadecimal digits, such as \"22F190\""
                throw arguments.error("requests", element: index, expected)
            }
            do throws(RawRequestError) {
                requests.append(try RawRequest(payload: bytes, to: destination))
            } catch {
                throw JSONError(reason: .serviceForbidden, message: error.description)
            }
        }
        // Only service 04 is meant for all ECUs (SAE J1979). Any other request that writes could reach an unknown ECU.
        if destination == nil, let request = requests.first(where: { $0.effect == .writes }) {
            throw arguments.error("ecu", "the address of one ECU, because \(request) writes")
        }
        self.init(
            requests,
            to: destination,
            hold: try arguments.optionalSeconds("hold", in: CommandLimits.holds) ?? .zero
        )
    }

    private static func destination(_ arguments: JSONReader) throws(JSONError) -> Destination? {
        guard let text = try arguments.optionalString("ecu") else { return nil }
        guard let header = Destination.Header(text) else {
            throw arguments.error("ecu", "an address of 3, 6 or 8 hexadecimal digits, such as \"7E0\" or \"18DA10F1\"")
        }
        if header.isFunctional { return nil }
        // An adapter sends flow control on its own only to the ECUs of OBD (ISO 15765-4).
        let isUsual =
            switch header {
            case .can11(let identifier): 0x7E0...0x7E7 ~= identifier
            case .can29(let identifier): identifier & 0xFFFF_00FF == 0x18DA_00F1
            case .legacy: true
            }
        guard let destination = Destination(header: header, setsFlowControl: !isUsual) else {
            throw arguments.error(
                "ecu",
                "an address that determines the answering ECU: at most \"7F7\", or \"18DAxxF1\""
            )
        }
        return destination
    }
}
