// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Masks secrets and places in the text of a configuration, even if it is not valid TOML.
package enum SecretMask {
    private static let secrets = [
        "password", "passphrase", "secret", "token", "pin", "credential", "private", "latitude", "longitude", "zones",
    ]
    private static let mask = "\"(left out)\""

    /// Returns the text without the values of keys named like secrets or like parts of a place, and without user and password in URLs.
    package static func masked(_ text: String) -> String {
        var lines: [Substring] = []
        /// The end of the present multi-line value, which is masked.
        var end: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let terminator = end {
                if line.contains(terminator) { end = nil }
                continue
            }
            guard let equals = line.firstIndex(of: "="), Self.isSecret(line[..<equals]) else {
                lines.append(Self.withoutUser(line))
                continue
            }
            let value = line[line.index(after: equals)...].drop { $0 == " " || $0 == "\t" }
            for quotes in ["\"\"\"", "'''"] where value.hasPrefix(quotes) && !value.dropFirst(3).contains(quotes) {
                end = quotes
            }
            if value.hasPrefix("["), !value.contains("]") { end = "]" }
            lines.append("\(line[...equals]) \(Self.mask)")
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the text without its comments, which may have personal data.
    package static func withoutComments(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var quote: Character?
            var isEscaped = false
            let code = line.prefix { character in
                if let open = quote {
                    if character == open, !isEscaped { quote = nil }
                    isEscaped = open == "\"" && character == "\\" && !isEscaped
                } else if character == "\"" || character == "'" {
                    quote = character
                }
                return character != "#" || quote != nil
            }
            return code.reversed().drop { $0 == " " || $0 == "\t" }.reversed().map(String.init).joined()
        }
        return lines.joined(separator: "\n")
    }

    /// Whether the value of a key is a secret.
    ///
    /// The path of a file with a secret (`_file`) is not.
    private static func isSecret(_ key: Substring) -> Bool {
        let name = key.lowercased().filter { $0.isLetter || $0.isNumber || "_-.#".contains($0) }
        guard !name.hasSuffix("_file") else { return false }
        // An inline table has its zones on the same line.
        if name == "position" { return true }
        let words = name.split { !$0.isLetter }
        return words.contains { word in Self.secrets.contains { word.hasSuffix($0) } }
    }

    /// Returns the line with every URL such as `mqtts://user:password@host` without user and password.
    private static func withoutUser(_ line: Substring) -> Substring {
        var result = ""
        var rest = line
        while let scheme = rest.firstRange(of: "://") {
            result += rest[..<scheme.upperBound]
            rest = rest[scheme.upperBound...]
            let authority = rest.prefix { !"/\"' ,".contains($0) }
            if let at = authority.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        }
        return Substring(result + rest)
    }
}
