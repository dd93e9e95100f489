// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// The reason why a raw reply has no meaning, for the user who typed it.
struct ReplyProblem: Error {
    let text: String
    /// The next step of the user; nil if there is none.
    let next: String?

    /// The first bytes of the replies to services that read what a manufacturer defines: 18, 1A, 21, 22 and 23.
    private static let manufacturers: Set<UInt8> = [0x58, 0x5A, 0x61, 0x62, 0x63]

    private static let custom = "a custom parameter with a formula: docs/tasks/add-custom-parameter.md."

    init(_ error: OBD2.DecodingError, in bytes: [UInt8], layout: MessageLayout) {
        let isCAN = layout == .can
        switch error {
        case .wrongService(_, let first) where Self.manufacturers.contains(first):
            let service = (first & ~0x40).hexadecimal
            self.text = "a reply to service \(service), whose meaning the manufacturer defines"
            self.next = Self.custom
        case .wrongService(_, let first):
            self.text = "no reply begins with \(first.hexadecimal)"
            self.next = "the whole reply. It begins with the service plus 40, as 410C1AF8 does after 010C."
        case .wrongEcho(_, let actual) where bytes.first == 0x49 || bytes.first == 0x62:
            self.text = "InfoType \(actual.hexadecimal) is unknown"
            self.next = "obd-agent vehicle, which reads all known ones."
        case .wrongEcho where bytes.first == 0x59:
            self.text = "\(error)"
            self.next = "a reply to 19 02, 19 42 or 19 55, which list codes."
        case .unknownPID:
            self.text = "\(error)"
            self.next = Self.custom
        case .wrongCount:
            self.text = "\(error)"
            self.next = "the whole reply" + (isCAN ? "; --legacy, if the bus is older than CAN." : ".")
        case .wrongLength, .unknownLength, .unexpectedPID, .empty:
            self.text = "\(error)"
            self.next =
                "the whole reply of one ECU, without what fills its last frame"
                + (isCAN ? "." : "; without --legacy, if the bus is CAN.")
        default: (self.text, self.next) = ("\(error)", nil)
        }
    }
}
