// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The topics below a prefix, as somebody sees them who is not in the vehicle.
package struct FleetTopics: Hashable, Sendable {
    /// How long a vehicle's topic level may be, in bytes.
    private static let vehicleLimit = 256
    /// The largest length of a topic behind the vehicle's level, in bytes.
    private static let pathLimit = 256

    /// What all topics begin with.
    package let prefix: Topic

    package init(prefix: Topic) {
        self.prefix = prefix
    }

    /// The filter for one topic of every vehicle.
    package func filter(_ path: String) throws(TopicError) -> TopicFilter {
        try TopicFilter("\(self.prefix)/+/\(path)")
    }

    /// The filter for some topics of a vehicle.
    ///
    /// - Parameter path: what comes after the vehicle, perhaps with wildcards.
    package func filter(_ path: String, of vehicle: String) throws(TopicError) -> TopicFilter {
        guard Topic.isLevel(vehicle) else { throw .notALevel(vehicle) }
        return try TopicFilter("\(self.prefix)/\(vehicle)/\(path)")
    }

    /// One topic of a vehicle.
    package func topic(_ path: String, of vehicle: String) throws(TopicError) -> Topic {
        guard Topic.isLevel(vehicle) else { throw .notALevel(vehicle) }
        return try Topic("\(self.prefix)/\(vehicle)/\(path)")
    }

    /// The vehicle and what comes after it; nil for a topic of somebody else, or a longer one than agents have.
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
