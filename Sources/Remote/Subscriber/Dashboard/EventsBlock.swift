// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The newest events, as far as they came while the vehicle was watched.
struct EventsBlock {
    let pane: Pane
    /// Whether each event has its details in as many lines as they need.
    let isDetailed: Bool

    /// The lines, the newest event first; empty without any.
    var lines: [StyledLine] { self.pane.view.events.events.flatMap(self.lines(of:)) }

    private func lines(of event: EventView) -> [StyledLine] {
        var head = StyledLine(self.clock(event))
        head.tab(head.width + 2)
        let start = head.width
        head.add(event.name, event.style)
        let room = self.pane.width - head.width - 3
        guard !event.details.isEmpty else { return [head] }
        guard self.isDetailed, Cells.width(event.details) > room else {
            guard room > 0 else { return [head] }
            head.add("   ")
            head.add(Cells.cut(event.details, to: room), .dim)
            return [head]
        }
        let details = Cells.wrap(event.details, to: max(1, self.pane.width - start)).map { words in
            var line = StyledLine()
            line.tab(start)
            line.add(words, .dim)
            return line
        }
        return [head] + details
    }

    /// Returns the time of an event: with the date if that is another day, with a mark if the clock was not set.
    private func clock(_ event: EventView) -> String {
        let (text, today) = (event.time.description, self.pane.now.date.description)
        let isToday = text.prefix(10) == today.prefix(10)
        let time = isToday ? String(text.dropFirst(11).prefix(8)) : "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
        return event.isCertain ? time : "\(time)?"
    }
}
