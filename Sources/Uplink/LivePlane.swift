// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import Timing

/// The newest of everything, retained: which of it is to be published when.
///
/// Nothing is queued. While there is no broker, and while a topic may not be published again yet, a newer payload
/// replaces the older.
package struct LivePlane: Sendable {
    /// The least time between two publishes of one topic.
    static let spacing = Duration.seconds(1)
    /// After so long a payload that says nothing new is published all the same.
    static let refresh = Duration.seconds(60)

    private struct Entry: Sendable {
        var payload: LivePayload
        /// Whether the broker has what the payload says.
        var isPublished = false
        var published: MonotonicTime?
    }

    private var entries: [TopicPath: Entry] = [:]
    private var isConnected = false

    package init() {}

    package enum UpdateAction: Sendable {
        case none
        case publish(LivePayload)
    }

    /// There is something newer to say on `path`.
    package mutating func update(_ path: TopicPath, _ payload: LivePayload, at now: MonotonicTime) -> UpdateAction {
        var entry = self.entries[path] ?? Entry(payload: payload)
        if entry.isPublished && !entry.payload.saysTheSame(as: payload) { entry.isPublished = false }
        entry.payload = payload
        self.entries[path] = entry
        guard self.isConnected, let published = entry.published else {
            return self.isConnected ? self.publish(path, at: now) : .none
        }
        let wait = entry.isPublished ? Self.refresh : Self.spacing
        return now - published >= wait ? self.publish(path, at: now) : .none
    }

    /// What has waited long enough: call it once a second.
    package mutating func due(at now: MonotonicTime) -> [(path: TopicPath, payload: LivePayload)] {
        guard self.isConnected else { return [] }
        return self.entries.compactMap { path, entry in
            guard !entry.isPublished, now - (entry.published ?? now - Self.spacing) >= Self.spacing,
                case .publish(let payload) = self.publish(path, at: now)
            else { return nil }
            return (path, payload)
        }
    }

    /// A broker is there, and it may be another than the last: everything is published again.
    package mutating func connected() {
        self.isConnected = true
        for path in self.entries.keys { self.entries[path]?.isPublished = false; self.entries[path]?.published = nil }
    }

    /// The broker is gone.
    package mutating func disconnected() {
        self.isConnected = false
    }

    /// Forgets topics, and tells which of them a broker may have.
    package mutating func remove(where isGone: (TopicPath) -> Bool) -> [TopicPath] {
        let gone = self.entries.filter { isGone($0.key) }
        for path in gone.keys { self.entries[path] = nil }
        return gone.filter { $0.value.published != nil }.map(\.key)
    }

    /// Another vehicle: nothing of the old one is said of it.
    package mutating func removeAll() {
        self.entries = [:]
    }

    private mutating func publish(_ path: TopicPath, at now: MonotonicTime) -> UpdateAction {
        guard var entry = self.entries[path] else { return .none }
        entry.isPublished = true
        entry.published = now
        self.entries[path] = entry
        return .publish(entry.payload)
    }
}

/// The payload of a retained topic.
package enum LivePayload: Sendable {
    case parameter(ParameterReport)
    case status(AgentStatus)
    case vehicle(VehicleReport)
    case codes(CodesReport)
    case monitors(MonitorsReport)

    /// Whether both say the same, whenever that was.
    func saysTheSame(as other: LivePayload) -> Bool {
        switch (self, other) {
        case (.parameter(let left), .parameter(let right)):
            return left.saysTheSame(as: right)
        case (.status(let left), .status(var right)):
            right.time = left.time
            right.adapter.voltage = left.adapter.voltage
            right.adapter.rssi = left.adapter.rssi
            right.outbox = left.outbox
            right.dropped = left.dropped
            return left == right
        case (.vehicle(let left), .vehicle(var right)):
            right.time = left.time
            return left == right
        case (.codes(let left), .codes(var right)):
            right.time = left.time
            return left == right
        case (.monitors(let left), .monitors(var right)):
            right.time = left.time
            return left == right
        default:
            return false
        }
    }

    func encoded() throws -> [UInt8] {
        switch self {
        case .parameter(let payload): try PayloadEncoder.bytes(of: payload)
        case .status(let payload): try PayloadEncoder.bytes(of: payload)
        case .vehicle(let payload): try PayloadEncoder.bytes(of: payload)
        case .codes(let payload): try PayloadEncoder.bytes(of: payload)
        case .monitors(let payload): try PayloadEncoder.bytes(of: payload)
        }
    }

    /// Values that come again by themselves are sent once; the rest must arrive.
    var isAcknowledged: Bool {
        if case .parameter = self { false } else { true }
    }
}
