// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

// The readers of the feed. They see what the live plane has at once, and so need no broker.
extension Uplink {
    /// A program on this machine wants to read.
    ///
    /// - Parameter wake: called when there is something to take; must neither wait nor call back.
    package func addReader(waking wake: @escaping FeedReaders.Wake) -> FeedReaders.AddAction {
        self.feed.add(about: self.vehicle, self.live.newest(at: self.clock.now), waking: wake)
    }

    /// Takes the next bytes for a reader.
    package func takeFeed(for id: FeedReaders.ID) -> FeedReaders.Output { self.feed.take(for: id) }

    /// A reader has accepted no bytes for too long.
    package func readerStalled(_ id: FeedReaders.ID) { self.feed.stalled(id) }

    /// A reader is gone.
    package func removeReader(_ id: FeedReaders.ID) { self.feed.remove(id) }

    /// The agent ends, and the readers are told.
    package func closeFeed() { self.feed.close() }
}
