// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The topics of all vehicles below a prefix, for a client outside the vehicles.
package struct FleetTopics: Hashable, Sendable {
    /// The largest length of a vehicle's topic level, in bytes.
    private static let vehicleLimit = 256
    /// The largest length of the topic after the vehicle's level, in bytes.
    private static let pathLimit = 256

    /// The prefix of all topics.
    package let prefix: Topic

    package init(prefix: Topic) {
        self.prefix = prefix
    }

    /// Returns the filter for one topic of every vehicle.
    package func filter(_ path: String) throws(TopicError) -> TopicFilter {
        try TopicFilter("\(self.prefix)/+/\(path)")
    }

    /// Returns the filter for topics of a vehicle.
    ///
    /// - Parameters:
    ///   - path: the topic after the vehicle's level; wildcards are allowed.
    ///   - vehicle: the topic level of the vehicle.
    package func filter(_ path: String, of vehicle: String) throws(TopicError) -> TopicFilter {
        guard Topic.isLevel(vehicle) else { throw .notALevel(vehicle) }
        return try TopicFilter("\(self.prefix)/\(vehicle)/\(path)")
    }

    /// Returns a topic of a vehicle.
    package func topic(_ path: String, of vehicle: String) throws(TopicError) -> Topic {
        guard Topic.isLevel(vehicle) else { throw .notALevel(vehicle) }
        return try Topic("\(self.prefix)/\(vehicle)/\(path)")
    }

    /// Splits a topic into the vehicle and the path after it.
    ///
    /// The result is nil for a topic outside the prefix, and for one that is longer than any topic of an agent.
    package func split(_ topic: Topic) -> (vehicle: String, path: String)? {
        let (text, start) = (topic.description.utf8, "\(self.prefix)/".utf8)
        guard text.starts(with: start) else { return nil }
        let rest = text.dropFirst(start.count)
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")), rest.startIndex < slash else { return nil }
        let (vehicle, path) = (rest[..<slash], rest[slash...].dropFirst())
        guard vehicle.count <= Self.vehicleLimit, path.count <= Self.pathLimit else { return nil }
        return (String(decoding: vehicle, as: UTF8.self), String(decoding: path, as: UTF8.self))
    }
}
