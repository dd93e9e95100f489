// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Destination.Header {
    /// Whether the header is a diagnostic address, so that no ECU takes a request for a message of another kind.
    ///
    /// - 11-bit CAN: 600 to 7FF, with 7DF and 7E0 to 7E7 (ISO 15765-4) and the manufacturers' diagnostic addresses.
    /// - 29-bit CAN: 18DAxxF1 and 18DBxxF1 (ISO 15765-2, normal fixed addressing), and 17FC00xx, with any priority. In
    ///   the last one, both bits after the priority are set, which marks diagnostics (SAE J1939-21); Volkswagen
    ///   addresses its ECUs there.
    /// - Older buses: the source is a tester, F0 to FD (SAE J2178-1).
    package var isDiagnostic: Bool {
        switch self {
        case .can11(let identifier): identifier >= 0x600
        case .can29(let identifier):
            identifier & 0x03FE_00FF == 0x00DA_00F1 || identifier & 0x03FF_FF00 == 0x03FC_0000
        case .legacy(_, _, let source): 0xF0...0xFD ~= source
        }
    }

    /// The headers for which ``isDiagnostic`` is true, as a phrase for people.
    package static let diagnosticRanges = "600 to 7FF, 18DAxxF1, 18DBxxF1, 17FC00xx, on older buses xxxxF0 to xxxxFD"
}
