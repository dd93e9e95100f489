// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The style of a piece of a line.
enum TextStyle: Hashable, Sendable {
    case plain, bold, dim, good, attention, danger, accent
    /// Grey, for what is not measured now.
    case faded

    /// The parameters of Select Graphic Rendition (ECMA-48, section 8.3.117).
    var code: String {
        switch self {
        case .plain: ""
        case .bold: "1"
        case .dim: "2"
        case .good: "32"
        case .attention: "33"
        case .danger: "1;31"
        case .accent: "36"
        case .faded: "90"
        }
    }
}
