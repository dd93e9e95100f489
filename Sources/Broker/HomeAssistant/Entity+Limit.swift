// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2

extension Entity {
    /// Returns the entity that shows whether a limit is exceeded.
    ///
    /// - Parameters:
    ///   - name: the name of the limit: letters, digits and `_`.
    ///   - title: the name for people; nil makes one of `name`.
    static func limit(_ name: String, title: String?, _ topic: (TopicPath) -> String) -> Entity {
        let limit = "value_json.limits['\(name)']"
        return Entity(
            "limit-\(name)",
            .binarySensor,
            name: title ?? NamePhrase.phrase(name),
            [
                "stat_t": .string(topic(.limits)), "dev_cla": "problem",
                "val_tpl": .string(
                    "{{ ('ON' if \(limit).exceeded else 'OFF') if \(limit) is defined and \(limit).exceeded is defined"
                        + " else None }}"
                ),
            ]
        )
    }
}
