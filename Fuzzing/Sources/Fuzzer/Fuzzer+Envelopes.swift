// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import JOSE

/// Signed messages, and the keys that are trusted.
extension Fuzzer {
    /// A key whose private part nobody has any more, and the one message that it has signed.
    private static let keys = try? JSONWebKeySet(
        parsing: Array(
            """
            {"keys":[{"crv":"P-256",
            "x":"rbTy_5EhEHiiDPkaUxwGX22VT5KOa2z6OT7bqq_omwc",
            "y":"cAatIcxybt_uwGbu0CqprFB_wT_xQvY2hOzhJkro9HE",
            "kid":"fuzz",
            "kty":"EC"}]}
            """.utf8
        )
    )
    private static let signed = """
        eyJhbGciOiJFUzI1NiIsImtpZCI6ImZ1enoifQ.eyJpZCI6IjEifQ.TPGdgb7JClMrQRi99pbk6Ae2XlOgIywOYO6NwZL8zGj3ltXSyctUSAuXGAK0nFKn0gtTCmdx-El4hH6l6hGw3A
        """

    /// A set of keys, or a message: none is taken but the one that was signed, and that only byte for byte.
    static func envelopes(_ input: [UInt8]) {
        _ = try? JSONWebKeySet(parsing: input)
        guard let keys = Self.keys else { preconditionFailure("the keys are not read") }
        guard let message = try? CompactJWS(parsing: input), (try? message.verify(with: keys)) != nil else {
            precondition(input != Array(Self.signed.utf8), "what was signed is refused")
            return
        }
        precondition(input == Array(Self.signed.utf8), "\(String(decoding: input, as: UTF8.self))")
    }
}
