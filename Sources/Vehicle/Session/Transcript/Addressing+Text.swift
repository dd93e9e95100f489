// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327

extension Addressing {
    /// The text of the addressing in a transcript, such as `6F1:607:07:F1:f:64`.
    ///
    /// The text has the header, the responder, the address bytes of request and reply, flow control, and the
    /// adapter's wait. A `-` stands for a part that is not set.
    var text: String {
        let header =
            switch self.header {
            case .can11(let identifier): identifier.hexadecimal(digits: 3)
            case .can29(let identifier): identifier.hexadecimal
            case .legacy(let format, let target, let source): [format, target, source].hexadecimal(separator: "")
            }
        return [
            header, self.responder?.description ?? "-", self.addressExtension.map { $0.request.hexadecimal } ?? "-",
            self.addressExtension.map { $0.reply.hexadecimal } ?? "-", self.setsFlowControl ? "f" : "-",
            self.wait.map(\.hexadecimal) ?? "-",
        ].joined(separator: ":")
    }

    /// Creates the addressing from its ``text``; nil if the text is malformed.
    init?(text: some StringProtocol) {
        let words = text.split(separator: ":", omittingEmptySubsequences: false)
        guard words.count == 6, let header = Self.header(words[0]), ["f", "-"].contains(words[4]) else { return nil }
        let responder = Self.responder(words[1])
        // The header of 29 bits alone may leave open which identifier answers.
        guard responder != nil || words[0].utf8.count == 8 && words[1] == "-" else { return nil }
        let bytes = [words[2], words[3], words[5]].map { $0.utf8.count == 2 ? UInt8($0, radix: 16) : nil }
        guard zip(bytes, [words[2], words[3], words[5]]).allSatisfy({ $0 != nil || $1 == "-" }) else { return nil }
        var addressExtension: Extension?
        if let request = bytes[0], let reply = bytes[1] {
            addressExtension = Extension(request: request, reply: reply)
        }
        guard (bytes[0] == nil) == (bytes[1] == nil) else { return nil }
        self.init(
            header: header,
            responder: responder,
            addressExtension: addressExtension,
            setsFlowControl: words[4] == "f",
            wait: bytes[2]
        )
    }

    private static func header(_ text: some StringProtocol) -> Header? {
        guard let value = UInt32(text, radix: 16) else { return nil }
        switch text.utf8.count {
        case 3 where value <= 0x7FF: return .can11(UInt16(value))
        case 6: return .legacy(UInt8(value >> 16), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF))
        case 8 where value <= 0x1FFF_FFFF: return .can29(value)
        default: return nil
        }
    }

    private static func responder(_ text: some StringProtocol) -> ECUAddress? {
        guard let value = UInt32(text, radix: 16) else { return nil }
        switch text.utf8.count {
        case 2: return .legacy(UInt8(value))
        case 3 where value <= 0x7FF: return .can11(UInt16(value))
        case 8 where value & 0xFFFF_FF00 == 0x18DA_F100: return .can29(UInt8(value & 0xFF))
        case 8 where value <= 0x1FFF_FFFF: return .can29Identifier(value)
        default: return nil
        }
    }
}
