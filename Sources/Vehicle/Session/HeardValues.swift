// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
package import OBD2
import SocketCAN

/// A parameter of frames, and the least time between two of its values.
package struct HeardParameter: Hashable, Sendable {
    package let parameter: CustomParameter
    package let interval: Duration

    init(_ parameter: CustomParameter, _ interval: Duration) {
        self.parameter = parameter
        self.interval = interval
    }
}

/// The values in the frames that nodes of the vehicle send by themselves: of each parameter at most one in its interval.
package struct HeardValues: Sendable {
    /// The values that were heard in a while.
    package struct Batch: Hashable, Sendable {
        package var samples: [Sample] = []
        /// The number of frames that were too short, or had a value out of range; of each parameter one in its interval.
        package var dropped = 0
        /// Whether no frame had come for so long that the plug may have been put into another vehicle.
        package var followsSilence = false
    }

    /// The most values that wait to be taken; later ones are not heard.
    ///
    /// A session takes them several times a second.
    static let limit = 4096

    /// The longest wait for a frame: nodes send what matters once a second at least.
    package static let timeout = Duration.milliseconds(1500)

    private struct Entry: Sendable {
        let heard: HeardParameter
        /// The time from which the next value counts.
        var due: MonotonicTime
        /// The time from which the next unusable frame counts.
        var dropDue = MonotonicTime.zero
    }

    /// The time without a frame after which the vehicle may be another one.
    private static let silence = Duration.seconds(2)

    private var entries: [CANIdentifier: [Entry]] = [:]
    private var batch = Batch()
    private var lastFrame: MonotonicTime?
    /// The time at which the first of the waiting values was heard; nil if none waits.
    private(set) var since: MonotonicTime?

    /// The identifiers of the frames to receive.
    var identifiers: [CANIdentifier] { self.entries.keys.sorted { $0.number < $1.number } }

    /// Hears these parameters from now on, in place of others.
    mutating func select(_ parameters: [HeardParameter]) {
        let earlier = Dictionary(self.entries.values.joined().map { ($0.heard, $0.due) }) { first, _ in first }
        self.entries = [:]
        for heard in parameters {
            guard let frame = heard.parameter.frame else { continue }
            let identifier = CANIdentifier(frame.identifier, isExtended: frame.isExtended)
            self.entries[identifier, default: []].append(Entry(heard: heard, due: earlier[heard] ?? .zero))
        }
        self.batch = Batch(followsSilence: self.batch.followsSilence)
        self.since = nil
    }

    /// Takes a frame that arrived at a time.
    mutating func frameReceived(_ data: [UInt8], _ identifier: CANIdentifier, at now: MonotonicTime) {
        guard let entries = self.entries[identifier] else { return }
        if let lastFrame, now - lastFrame > Self.silence { self.batch.followsSilence = true }
        self.lastFrame = now
        guard self.batch.samples.count < Self.limit else { return }
        // A frame that comes a little early every time must not halve the rate.
        for (index, entry) in entries.enumerated() where now + entry.heard.interval / 4 >= entry.due {
            switch entry.heard.parameter.decode(frame: data) {
            case .other: continue
            case .unusable:
                guard now >= entry.dropDue else { continue }
                self.entries[identifier]?[index].dropDue = now + entry.heard.interval
                self.batch.dropped += 1
                continue
            case .value(let value):
                self.batch.samples.append(Sample(value: value, ecu: identifier.ecu, time: now, isAddressed: true))
                self.since = self.since ?? now
            }
            let isLate = now - entry.due > entry.heard.interval
            self.entries[identifier]?[index].due = (isLate ? now : entry.due) + entry.heard.interval
        }
    }

    /// Returns what was heard since the last call.
    mutating func take() -> Batch {
        defer {
            self.batch = Batch()
            self.since = nil
        }
        return self.batch
    }
}

extension CANIdentifier {
    /// The identifier as the place that a value comes from.
    fileprivate var ecu: ECUAddress {
        self.isExtended ? .can29Identifier(self.number) : .can11(UInt16(self.number))
    }
}
