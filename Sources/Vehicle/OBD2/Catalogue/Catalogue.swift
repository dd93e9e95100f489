// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Parameter {
    /// Every parameter that has a name, by PID.
    ///
    /// The rows are from public implementations and descriptions of SAE J1979-DA. The tests compare them with tables of
    /// their own.
    package static let catalogue: [Parameter] =
        Self.rows00 + Self.rows20 + Self.rows40 + Self.rows60 + Self.rows80 + Self.rowsA0 + Self.rowsC0

    /// Returns the parameter of a PID; nil if the PID is unknown.
    package static func withPID(_ pid: PID) -> Parameter? {
        Self.byPID[Int(pid.rawValue)]
    }

    /// Returns the parameter with this name, with a field of this name, or with this PID, as in `0C` or `010C`.
    package static func named(_ name: String) -> Parameter? {
        if let parameter = Self.byName[name] { return parameter }
        let digits = name.utf8.count == 4 && name.hasPrefix("01") ? name.dropFirst(2) : name[...]
        guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let pid = UInt8(digits, radix: 16) else {
            return nil
        }
        return Self.withPID(PID(rawValue: pid))
    }

    private static let byPID: [Parameter?] = Self.catalogue.reduce(into: Array(repeating: nil, count: 256)) {
        $0[Int($1.pid.rawValue)] = $1
    }

    private static let byName: [String: Parameter] = (Self.catalogue + Self.fourBanks)
        .reduce(into: [:]) { names, parameter in
            for name in [parameter.name] + parameter.fields.map(\.name) {
                names[name] = parameter
            }
        }
}
