// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

extension Entity {
    /// Returns the entity that shows a figure of the present trip or the last one, or of all trips.
    static func trip(_ figure: TripFigure, _ topic: (TopicPath) -> String) -> Entity {
        var settings: [String: JSON] = [
            "stat_t": .string(topic(.trip)), "unit_of_meas": .string(figure.unit),
            "stat_cla": figure.isTotal ? "total_increasing" : "measurement",
            "val_tpl": .string("{{ \(figure.value) }}"),
        ]
        if let deviceClass = figure.deviceClass { settings["dev_cla"] = .string(deviceClass) }
        if figure == .distance {
            settings["json_attr_t"] = .string(topic(.trip))
            settings["json_attr_tpl"] = "{{ dict(value_json.trip, ongoing=value_json.ongoing) | tojson }}"
        }
        return Entity(figure.rawValue, .sensor, name: figure.name, settings)
    }
}
