// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// What the header of a signed message says (RFC 7515 section 4); before verification, what anybody may have written.
package struct JWSHeader: Hashable, Sendable {
    /// `alg`: how it is signed, as it says.
    package let algorithm: String?
    /// `kid`: which key has signed it, as it says.
    package let keyID: String?
    /// `typ`: what kind of message it is.
    package let type: String?
    /// All of the header.
    package let members: [String: JSON]

    /// The members that bring or point at a key, or change what is signed and how (RFC 7515 sections 4.1.2 to 4.1.8
    /// and 4.1.11, RFC 7797).
    ///
    /// A message with one of them is refused, rather than taken as if it were not there.
    static let refused = ["crit", "b64", "jku", "jwk", "x5u", "x5c", "x5t", "x5t#S256"]

    /// The first member that is refused, if there is one.
    var refusedMember: String? { Self.refused.first { self.members[$0] != nil } }

    /// Returns whether `typ` is absent or this media type, without regard to case; its `application/` may be left out
    /// (RFC 7515 section 4.1.9).
    ///
    /// - Parameter type: in lower case, without `application/`.
    package func allows(type: String) -> Bool {
        guard let own = self.type else { return true }
        let bytes = own.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
        return [type, "application/\(type)"].contains { bytes.elementsEqual($0.utf8) }
    }

    init(parsing bytes: [UInt8]) throws(JWSError) {
        let json: JSON
        do throws(JSONParsingError) {
            json = try JSON(parsing: bytes, depthLimit: 8)
        } catch {
            throw .header(error)
        }
        guard case .object(let members) = json else { throw .kind("", expected: "an object", found: json.kind) }
        self.members = members
        self.algorithm = try members.string("alg")
        self.keyID = try members.string("kid")
        self.type = try members.string("typ")
    }
}

extension [String: JSON] {
    /// The text of a member; nil where there is none.
    fileprivate func string(_ name: String) throws(JWSError) -> String? {
        switch self[name] {
        case nil: return nil
        case .string(let text)?: return text
        case let other?: throw .kind(name, expected: "a string", found: other.kind)
        }
    }
}
