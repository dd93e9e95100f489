// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The event that is still being made, and the numbers of captures.
extension Store {
    /// Keeps an event that is still being made, in place of an earlier one, and writes it to the disk.
    ///
    /// If the process ends before the event is complete, the next one makes a record of it. So an event is sent
    /// once, complete or not.
    package func keep(_ draft: Draft, flushing context: FlushContext) {
        self.unwritten.eventDraft = .write(draft)
        self.flush(context)
    }

    /// Keeps the numbers of captures on a day.
    ///
    /// The next flush writes them to the disk.
    package func remember(_ captures: DayCaptures) { self.unwritten.captures = captures }
}
