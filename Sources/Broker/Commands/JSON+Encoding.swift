// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import FoundationEssentials

extension JSON {
    /// What `value` encodes to.
    init(encoding value: some Encodable) {
        let bytes = (try? JSONEncoder().encode(value)).map(Array.init)
        self = bytes.flatMap { try? JSON(parsing: $0, depthLimit: CommandDecoder.depthLimit) } ?? .null
    }

    /// The codes of a report with what was stored together with them.
    init(codes report: CodesReport) {
        self = .array(
            report.codes.map { code in
                var fields: [String: JSON] = [
                    "code": .string(code.code), "ecu": .string(code.ecu),
                    "states": .array(code.states.map { .string($0.rawValue) }),
                ]
                fields["freeze_frame"] = code.freezeFrame.map(JSON.init(encoding:))
                return .object(fields)
            }
        )
    }
}
