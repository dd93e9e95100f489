// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The facts of a machine that a configuration can refer to, so that one file serves many machines.
package struct HostFacts: Sendable {
    /// The value of `${machine_id}`, or `nil` if it is unknown.
    package var machineID: String?
    /// The value of `${hostname}`, or `nil` if it is unknown.
    package var hostname: String?
    /// Returns the file of the credential that `credential:NAME` refers to, or `nil` if systemd has none.
    package var credential: @Sendable (String) -> String?

    package init(
        machineID: String? = nil,
        hostname: String? = nil,
        credential: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        self.machineID = machineID
        self.hostname = hostname
        self.credential = credential
    }

    /// Returns `text` with its variables replaced.
    func expand(_ text: String) throws(ValueError) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "${") {
            result += rest[..<start.lowerBound]
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else { throw .unknownVariable(text) }
            let name = String(rest[start.upperBound..<end])
            let known: String?
            switch name {
            case "machine_id": known = self.machineID
            case "hostname": known = self.hostname
            default: throw .unknownVariable("${\(name)}")
            }
            guard let known, !known.isEmpty else { throw .unsetVariable("${\(name)}") }
            result += known
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static let credentialPrefix = "credential:"

    /// Returns the absolute path of the file that `text` names: a path, or a credential of systemd.
    func path(_ text: String) throws(ValueError) -> String {
        guard text.hasPrefix(Self.credentialPrefix) else {
            guard text.hasPrefix("/") else { throw .invalidPath }
            return text
        }
        let name = String(text.dropFirst(Self.credentialPrefix.count))
        guard !name.isEmpty, name.utf8.count <= 64, !name.contains("/"), !name.hasPrefix(".") else {
            throw .invalidPath
        }
        guard let path = self.credential(name) else { throw .noCredential(name) }
        return path
    }
}
