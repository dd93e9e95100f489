// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

extension Entity {
    /// Returns the entity that shows the vehicle on the map.
    ///
    /// In a zone whose position is withheld its state is the zone's name; else Home Assistant finds the state by its
    /// own zones. It has no availability, because the last position of a vehicle counts while the agent is off.
    static func position(_ topic: (TopicPath) -> String) -> Entity {
        Entity(
            "position",
            .deviceTracker,
            name: "Position",
            [
                "stat_t": .string(topic(.position)), "src_type": "gps", "ic": "mdi:car",
                // "None" takes an earlier zone back.
                "val_tpl": "{{ value_json.zone | default('None') }}",
                "json_attr_t": .string(topic(.position)),
                "json_attr_tpl":
                    "{{ dict(value_json, gps_accuracy=value_json.accuracy | default(0)) | tojson }}",
            ]
        )
    }
}
