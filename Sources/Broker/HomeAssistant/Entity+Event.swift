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
        "(a.get('agent') == v.agent and (v.epoch == a.epoch and v.seq <= a.seq or v.epoch < a.epoch and v.time <= a.time))"

    /// Returns the event entity for a kind of events.
    ///
    /// The template of another event, and of one that comes again, is empty, which Home Assistant ignores. Its time of
    /// the event is that of the message; the attribute `time` is that of the event itself, which may be earlier. The
    /// topic is not retained.
    static func happening(_ happening: VehicleHappening, _ topic: (TopicPath) -> String) -> Entity {
        let types = happening.events.map(\.rawValue)
        let names = types.map { "'\($0)'" }.joined(separator: ", ")
        let members = (Self.place + happening.members).map { "\($0)=v.\($0) | default(None)" }
        let start = happening == .trip ? ["v.trip"] : []
        let arguments = start + ["event_type=v.event", "time=v.time"] + members
        return Entity(
            happening.rawValue,
            .event,
            name: happening.name,
            [
                "stat_t": .string(topic(.stream(.events))), "evt_typ": .array(types.map { .string($0) }),
                "ic": .string(happening.icon),
                "val_tpl": .string(
                    "{% set v, a = value_json, this.attributes %}{% if v.event in [\(names)] and not \(Self.isRepeated) %}"
                        + "{{ dict(\(arguments.joined(separator: ", "))) | tojson }}{% endif %}"
                ),
            ]
        )
    }
}
