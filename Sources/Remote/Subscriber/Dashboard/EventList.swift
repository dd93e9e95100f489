// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The newest events of a vehicle, as far as a viewer has received them.
struct EventList: Sendable {
    /// The largest number of events.
    static let limit = 200

    /// The events, the newest first.
    private(set) var events: [EventView] = []
    private var sequence = RecordSequence()

    /// Takes the payload of `events`; a repeated one changes nothing.
    mutating func receive(_ json: JSON) {
        guard let event = EventView(json) else { return }
        if let number = RecordNumber(json), self.sequence.receive(number) == .duplicate { return }
        // An event that waited for a connection comes behind younger ones.
        let place = self.events.firstIndex { $0.time <= event.time } ?? self.events.endIndex
        self.events.insert(event, at: place)
        if self.events.count > Self.limit { self.events.removeLast() }
    }
}
