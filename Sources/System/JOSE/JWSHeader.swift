// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The header of a signed message (RFC 7515 section 4); untrusted until the message is verified.
package struct JWSHeader: Hashable, Sendable {
    /// `alg`: the claimed algorithm.
    package let algorithm: String?
    /// `kid`: the claimed key.
    package let keyID: String?
    /// `typ`: the media type of the message.
    package let type: String?
    /// All members of the header.
    package let members: [String: JSON]

    /// The members that contain a key, point at one, or change the signing input.
    ///
    /// RFC 7515 defines them in sections 4.1.2 to 4.1.8 and 4.1.11, RFC 7797 adds `b64`. A message with one of them is
    /// refused; the member is not ignored.
    static let refused = ["crit", "b64", "jku", "jwk", "x5u", "x5c", "x5t", "x5t#S256"]

    /// The first refused member that the header has, if any.
    var refusedMember: String? { Self.refused.first { self.members[$0] != nil } }

    /// Returns whether `typ` is absent or this media type.
    ///
    /// The comparison ignores case, and `typ` may omit `application/` (RFC 7515 section 4.1.9).
    ///
    /// - Parameter type: the media type in lower case, without `application/`.
    package func allows(type: String) -> Bool {
        guard let ownType = self.type else { return true }
        let bytes = ownType.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
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
    /// Returns the text of a member, or `nil` if there is none.
    fileprivate func string(_ name: String) throws(JWSError) -> String? {
        switch self[name] {
        case nil: return nil
        case .string(let text)?: return text
        case let other?: throw .kind(name, expected: "a string", found: other.kind)
        }
    }
}
