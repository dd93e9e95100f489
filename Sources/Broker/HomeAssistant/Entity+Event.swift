// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

extension Entity {
    /// The members that identify an event.
    private static let place = ["agent", "epoch", "seq"]
    /// Whether the entity already shows this event or a later one of the same agent.
    ///
    /// The time lets an agent go on that was restored from a copy: its epochs begin again with lower numbers. Within an
    /// epoch it decides nothing, because an event has another time after the clock was set.
    private static let isRepeated =
        "(this.attributes.get('agent') == value_json.agent and "
        + "(value_json.epoch == this.attributes.epoch and value_json.seq <= this.attributes.seq or "
        + "value_json.epoch < this.attributes.epoch and value_json.time <= this.attributes.time))"

    /// Returns the event entity for a kind of events.
    ///
    /// The template of another event, and of one that comes again, is empty, which Home Assistant ignores. Its time of
    /// the event is that of the message; the attribute `time` is that of the event itself, which may be earlier. The
    /// topic is not retained.
    static func happening(_ happening: VehicleHappening, _ topic: (TopicPath) -> String) -> Entity {
        let types = happening.events.map(\.rawValue)
        let names = types.map { "'\($0)'" }.joined(separator: ", ")
        let members = (Self.place + happening.members).map { "\($0)=value_json.\($0) | default(None)" }
        let start = happening == .trip ? ["value_json.trip"] : []
        let arguments = start + ["event_type=value_json.event", "time=value_json.time"] + members
        return Entity(
            happening.rawValue,
            .event,
            name: happening.name,
            [
                "stat_t": .string(topic(.stream(.events))), "evt_typ": .array(types.map { .string($0) }),
                "ic": .string(happening.icon),
                "val_tpl": .string(
                    "{% if value_json.event in [\(names)] and not \(Self.isRepeated) %}"
                        + "{{ dict(\(arguments.joined(separator: ", "))) | tojson }}{% endif %}"
                ),
            ]
        )
    }
}
