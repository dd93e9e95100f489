// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
package import Subscriber

/// Decodes the messages of a fleet into records and states.
///
/// Messages can be anything: each costs a bounded time and memory, and a damaged one says what is wrong with it.
package struct MessageDecoder {
    /// The largest size of an expanded record, in bytes; those of an agent have at most 64 KiB.
    static let recordLimit = 256 << 10
    /// The largest size of a state, in bytes.
    static let stateLimit = 1 << 20
    static let depthLimit = 32
    /// The largest number of samples, and of points, in a record.
    static let sampleLimit = 100_000
    /// The largest number of series in a record.
    static let seriesLimit = 1000
    /// The times that a database takes: the years 1970 to 2199.
    static let timeRange: Range<Int64> = 0..<7_258_118_400_000

    /// The content of a message.
    package enum Decoded: Hashable, Sendable {
        case record(CollectedRecord)
        /// A state.
        ///
        /// - Parameters:
        ///   - changes: the facts about the agent's streams in it.
        ///   - presence: the fact about the agent's presence in it; nil if there is none.
        case state(CollectedState, changes: [StreamChange], presence: AgentPresence?)
        case rejected(RejectedMessage)
        /// The topic is not one that is collected.
        case foreign
    }

    private let topics: FleetTopics
    var units: UnitTable

    /// - Parameters:
    ///   - topics: the topics of the fleet.
    ///   - unit: returns the metric unit of a parameter of the catalog; nil for other names.
    package init(_ topics: FleetTopics, unit: @escaping @Sendable (String) -> String?) {
        self.topics = topics
        self.units = UnitTable(unit)
    }

    /// Decodes a message.
    ///
    /// - Parameter now: the date at which the message was received.
    package mutating func decode(_ message: Message, at now: Timestamp) -> Decoded {
        guard let (vehicle, path) = self.topics.split(message.topic), let kind = Kind(path) else { return .foreign }
        var number: RejectedMessage.Number?
        do throws(Fault) {
            guard Self.isName(vehicle, atMost: 256) else {
                throw Fault("the vehicle's topic level has control characters")
            }
            switch kind {
            case .state: return try self.state(message, path, of: vehicle, at: now)
            case .record(let stream):
                return .record(try self.record(message, of: stream, path, vehicle, &number))
            }
        } catch {
            return .rejected(RejectedMessage(message, at: now, reason: error.reason, number: number))
        }
    }

    /// The reason why a message is damaged, as a sentence part.
    struct Fault: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    private enum Kind {
        case state
        case record(RecordStream)

        init?(_ path: String) {
            switch path {
            case "telemetry", "telemetry/zlib": self = .record(.telemetry)
            case "events": self = .record(.events)
            case "responses": self = .record(.responses)
            case _ where CollectedState.topics.contains(path): self = .state
            case _ where path.hasPrefix("responses/"): self = .record(.responses)
            default: return nil
            }
        }
    }

    // MARK: - Parts

    /// Parses the payload of a record or a state.
    static func object(_ payload: [UInt8]) throws(Fault) -> JSON {
        let json: JSON
        do {
            json = try JSON(parsing: payload, depthLimit: Self.depthLimit)
        } catch {
            throw Fault("\(error)")
        }
        guard case .object(let members) = json else { throw Fault("the payload is \(json.kind) instead of an object") }
        guard members["v"] == 1 else { throw Fault("the version of the contract in \"v\" is not 1") }
        return json
    }

    /// Returns a time that a database takes.
    static func time(_ json: JSON, _ name: String) throws(Fault) -> Timestamp {
        guard let time = json[name].time else { throw Fault("\"\(name)\" is no time") }
        guard Self.timeRange.contains(time.milliseconds) else { throw Fault("\"\(name)\" is not from 1970 to 2199") }
        return time
    }

    /// Whether a text can be a name: not empty, not too long, without control characters.
    static func isName(_ text: String, atMost limit: Int) -> Bool {
        !text.isEmpty && text.utf8.count <= limit && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
