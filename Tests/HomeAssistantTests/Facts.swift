// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import FoundationEssentials
import Testing

/// The files beside the tests.
///
/// `<release>.json`: the device classes of sensors with their units and state classes, as that release of Home
/// Assistant has them in `homeassistant/components/sensor/const.py`.
enum Facts {
    /// The beginning of every file that we wrote: the two SPDX lines.
    static let head = ["# SPDX-FileCopyrightText: The obd-agent project\n", "# SPDX-License-Identifier: Apache-2.0\n"]

    static func bytes(_ name: String) throws -> [UInt8] {
        let directory = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        return Array(try Data(contentsOf: URL(filePath: "/\(directory)/Facts/\(name)")))
    }

    static func text(_ name: String) throws -> String { String(decoding: try Self.bytes(name), as: UTF8.self) }

    static func json(_ release: String) throws -> JSON {
        try JSON(parsing: try Self.bytes("\(release).json"), depthLimit: 8)
    }
}
