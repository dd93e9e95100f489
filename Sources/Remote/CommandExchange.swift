// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import MQTT
package import Messages
package import Timing

/// Sends one command, and follows what becomes of it.
///
/// Before that it looks whether the vehicle is there. When the connection was lost in between, or the vehicle comes
/// online and does not answer, or has no room for it, the command is sent again with the same id, since a broker may have forgotten it: an agent
/// that has obeyed it answers again and does nothing.
package struct CommandExchange: BrokerMachine {
    /// How long what is retained may take to come before the command goes out.
    static let look = Duration.milliseconds(500)
    /// How long after its expiry an answer may still be on its way.
    static let grace = Duration.seconds(5)
    /// How long somebody who has accepted it may be silent.
    static let patience = Duration.seconds(300)
    /// How long a vehicle that has come online may take to answer before it is asked again; doubled each time.
    static let answering = Duration.seconds(3)
    /// Why an agent has not even looked at it.
    private static let later: [CommandResponse.Reason] = [.busy, .rateLimited]
    /// How many of its responses are remembered, so that none is told twice.
    private static let memory = 16

    package enum News: Hashable, Sendable {
        /// The command goes out, to this vehicle.
        case sending(VehiclePicture)
        /// The vehicle came or went.
        case availability(Availability)
        case answer(Answer)
        case lost(MQTTError)
    }

    package enum Outcome: Hashable, Sendable {
        /// The last answer.
        case answered(Answer)
        /// It has expired, or was accepted and then nothing came for a long time.
        case unanswered(isAccepted: Bool)
        /// Nobody wants to wait any longer, but it can still be obeyed.
        case pending(isAccepted: Bool)
        /// The broker does not let this client read the answers.
        case notReadable
        /// The broker does not take the command.
        case notTaken(code: UInt8)
    }

    package let filters: [TopicFilter]
    package let qos = QoS.atLeastOnce
    private let message: Message
    private let id: String
    private let topics: FleetTopics
    private let expiry: MonotonicTime
    private let end: MonotonicTime?
    private var picture: VehiclePicture
    private var since: MonotonicTime?
    private var isSent = false
    /// When it was answered last.
    private var newest: MonotonicTime?
    private var told: [JSON] = []
    /// When it is sent again, and how long to wait then.
    private var repetition: (at: MonotonicTime, pause: Duration)?

    /// - Parameters:
    ///   - payload: the command as it is sent.
    ///   - expiry: when the command expires.
    ///   - end: how long to wait at most; nil: until it has expired.
    package init(
        _ command: OutgoingCommand,
        payload: [UInt8],
        topics: FleetTopics,
        expiry: MonotonicTime,
        end: MonotonicTime?
    ) throws(TopicError) {
        let own = try topics.topic("responses/\(command.id)", of: command.vehicle)
        self.filters = [
            TopicFilter(own), try topics.filter("responses", of: command.vehicle),
            try topics.filter("availability", of: command.vehicle), try topics.filter("status", of: command.vehicle),
        ]
        let life = (command.expiresAt - command.issuedAt).milliseconds
        self.message = Message(
            topic: try topics.topic("commands", of: command.vehicle),
            payload: payload,
            qos: .atLeastOnce,
            properties: Message.Properties(
                responseTopic: own,
                correlationData: Array(command.id.utf8),
                expiry: UInt32(clamping: (life + 999) / 1000),
                contentType: payload.first == UInt8(ascii: "{") ? "application/json" : "application/jose"
            )
        )
        self.id = command.id
        self.topics = topics
        self.expiry = expiry
        self.end = end
        self.picture = VehiclePicture(name: command.vehicle)
    }

    package mutating func subscribed(_ grants: [Bool], at now: MonotonicTime) -> [Action] {
        // One of both is enough: a broker may let everybody read only what is meant for them.
        guard grants.prefix(2).contains(true) else { return [.finish(.notReadable)] }
        self.since = now
        return self.isSent ? [.publish(self.message)] : self.sendIfDue(at: now)
    }

    package mutating func received(_ message: Message, at now: MonotonicTime) -> [Action] {
        guard let (vehicle, path) = self.topics.split(message.topic), vehicle == self.picture.name else { return [] }
        let before = self.picture.availability
        if self.picture.receive(path, message.payload) {
            guard self.isSent else { return self.sendIfDue(at: now) }
            guard let after = self.picture.availability, after != before else { return [] }
            let isDue = after == .online && self.newest == nil
            self.repetition = isDue ? (now + Self.answering, Self.answering) : nil
            return [.tell(.availability(after))]
        }
        // On the topic of its own comes too what an agent says that could not even read the id.
        let isOwn = path == "responses/\(self.id)"
        guard isOwn || path == "responses", let answer = Answer(message.payload),
            answer.id == self.id || (isOwn && answer.id == nil),
            // It comes on two topics, and with QoS 1 perhaps twice on each.
            !self.told.contains(answer.json)
        else { return [] }
        if self.told.count == Self.memory { self.told.removeFirst() }
        self.told.append(answer.json)
        // Not looked at: the contract wants it again, later, under the same id.
        if answer.state == .refused, Self.later.contains(where: { $0.rawValue == answer.reason }) {
            let pause = self.repetition?.pause ?? Self.answering
            self.repetition = (now + pause, pause)
            return [.tell(.answer(answer))]
        }
        self.newest = now
        self.repetition = nil
        return answer.state.isFinal ? [.finish(.answered(answer))] : [.tell(.answer(answer))]
    }

    package mutating func passed(at now: MonotonicTime) -> [Action] {
        if let end = self.end, now >= end { return self.stopped() }
        if let newest = self.newest {
            if now >= max(newest + Self.patience, self.expiry) { return [.finish(.unanswered(isAccepted: true))] }
        } else if now >= self.expiry + Self.grace {
            return [.finish(.unanswered(isAccepted: false))]
        }
        guard self.isSent else { return self.sendIfDue(at: now) }
        guard let (time, pause) = self.repetition, now >= time else { return [] }
        self.repetition = (now + pause * 2, pause * 2)
        return [.publish(self.message)]
    }

    package mutating func rejected(code: UInt8) -> [Action] { [.finish(.notTaken(code: code))] }

    package mutating func lost(_ error: MQTTError) -> [Action] { [.tell(.lost(error))] }

    package mutating func stopped() -> [Action] { [.finish(.pending(isAccepted: self.newest != nil))] }

    /// As soon as it is known whether the vehicle is there, or nobody seems to know.
    private mutating func sendIfDue(at now: MonotonicTime) -> [Action] {
        guard let since = self.since else { return [] }
        let isKnown = self.picture.availability != nil && self.picture.status != .null
        guard isKnown || now >= since + Self.look else { return [] }
        self.isSent = true
        return [.tell(.sending(self.picture)), .publish(self.message)]
    }
}
