// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import AdapterLink
package import Base

/// Records the events between the agent and an adapter, with their times.
package struct TranscriptRecorder: Sendable {
    private let clock: any MonotonicClock
    private let write: @Sendable (TranscriptEntry) -> Void

    /// - Parameter write: receives the entries in order; it must not block.
    package init(clock: any MonotonicClock, write: @escaping @Sendable (TranscriptEntry) -> Void) {
        self.clock = clock
        self.write = write
    }

    /// Records an event with the current time.
    package func record(_ event: TranscriptEntry.Event) {
        self.write(TranscriptEntry(event, at: self.clock.now))
    }

    /// Returns a link whose bytes and events are recorded.
    package func recording(_ link: any AdapterLink) -> any AdapterLink { RecordingLink(link, self) }
}

/// A link whose bytes and events are recorded.
final class RecordingLink: AdapterLink {
    private let link: any AdapterLink
    private let recorder: TranscriptRecorder

    init(_ link: any AdapterLink, _ recorder: TranscriptRecorder) {
        self.link = link
        self.recorder = recorder
        recorder.record(.opened(link.address))
    }

    var address: String { self.link.address }

    func write(_ bytes: [UInt8]) async throws(LinkError) {
        self.recorder.record(.sent(bytes))
        do { try await self.link.write(bytes) } catch { throw self.lost(error) }
    }

    func read(until deadline: MonotonicTime) async throws(LinkError) -> LinkInput {
        do {
            let input = try await self.link.read(until: deadline)
            if case .bytes(let bytes) = input { self.recorder.record(.received(bytes)) }
            return input
        } catch {
            throw self.lost(error)
        }
    }

    private func lost(_ error: LinkError) -> LinkError {
        self.recorder.record(.lost(error.description))
        return error
    }

    func interruptRead() { self.link.interruptRead() }
    func signalStrength() async -> Int? { await self.link.signalStrength() }

    func close() {
        self.recorder.record(.closed)
        self.link.close()
    }
}
