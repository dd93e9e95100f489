// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

extension JSON {
    /// Encodes a report; one that cannot be encoded becomes null.
    init(report: some Encodable) {
        self = (try? JSON(encoding: report)) ?? .null
    }

    /// The codes of a report, each with its ECU, its states and its freeze frame.
    init(codes report: CodesReport) {
        self = .array(
            report.codes.map { code in
                var fields: [String: JSON] = [
                    "code": .string(code.code), "ecu": .string(code.ecu),
                    "states": .array(code.states.map { .string($0.rawValue) }),
                ]
                fields["freeze_frame"] = code.freezeFrame.map(JSON.init(report:))
                return .object(fields)
            }
        )
    }
}
