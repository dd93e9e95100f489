// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Subscriber
package import Contract
package import MQTT
package import Base

/// Sends one command, and follows what becomes of it.
///
/// Before that it looks whether the vehicle is there. When the connection was lost in between, or the vehicle comes
/// online and does not answer, or has no room for it, the command is sent again with the same id, since a broker may
/// have forgotten it: an agent that has obeyed it answers again and does nothing.
///
/// The id is no secret: whoever may publish can send something else with it, and is answered too. So of a command that
/// is signed those answers count that name who has signed it, as every one does whose signature was verified.
package struct CommandExchange: BrokerMachine {
    /// How long what is retained may take to come before the command goes out.
    static let look = Duration.milliseconds(500)
    /// How long after its expiry an answer may still be on its way.
    static let grace = Duration.seconds(5)
    /// How long somebody who has accepted it may be silent.
    static let patience = Duration.seconds(300)
    /// How long a vehicle that has come online may take to answer before it is asked again; doubled each time.
    static let answering = Duration.seconds(3)
    /// How long a refusal is doubted that does not name who has signed.
    package static let doubt = Duration.seconds(10)
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
        /// A refusal that does not name who has signed: one that does may still come.
        case doubtful(Answer)
        case lost(MQTTError)
    }

    package enum Outcome: Hashable, Sendable {
        /// The last answer; of a signed command one that names who has signed, or a refusal after which none came.
        case answered(Answer)
        /// Refused for want of the vehicle, by an agent that was offline when it was sent and has just come back.
        case cameTooEarly(Answer)
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
    /// Who has signed it; nil: nobody.
    private let issuer: String?
    private let topics: FleetTopics
    private let expiry: MonotonicTime
    private let end: MonotonicTime?
    private var picture: VehiclePicture
    private var since: MonotonicTime?
    private var isSent = false
    /// Whether the vehicle was offline when it went out, or after that.
    private var wasOffline = false
    /// When it was answered last.
    private var newest: MonotonicTime?
    /// Whether an answer has named who has signed.
    private var isCertain = false
    /// A refusal that may be somebody else's, and when it is believed.
    private var doubtful: (answer: Answer, end: MonotonicTime)?
    private var told: [JSON] = []
    /// When it is sent again, and how long to wait then.
    private var repetition: (at: MonotonicTime, pause: Duration)?

    /// - Parameters:
    ///   - payload: the command as it is sent.
    ///   - issuer: who has signed it; nil: nobody.
    ///   - expiry: when the command expires.
    ///   - end: how long to wait at most; nil: until it has expired.
    package init(
        _ command: OutgoingCommand,
        payload: [UInt8],
        issuer: String?,
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
        self.issuer = issuer
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
            if after == .offline { self.wasOffline = true }
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
        if let issuer = self.issuer {
            guard answer.issuer == issuer else { return self.doubt(answer, at: now) }
            (self.isCertain, self.doubtful) = (true, nil)
        }
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
        guard answer.state.isFinal else { return [.tell(.answer(answer))] }
        let isTooEarly = answer.state == .refused && answer.reason == CommandResponse.Reason.notConnected.rawValue
        return [.finish(isTooEarly && self.wasOffline ? .cameTooEarly(answer) : .answered(answer))]
    }

    /// The agent says something that does not name who has signed the command.
    ///
    /// It can only be about it where the signature could not be verified: then it is a refusal, and the only answer.
    private mutating func doubt(_ answer: Answer, at now: MonotonicTime) -> [Action] {
        // Who had no room has verified the signature.
        let isPossible = answer.state == .refused && !Self.later.contains { $0.rawValue == answer.reason }
        guard isPossible, !self.isCertain, self.doubtful == nil else { return [] }
        self.doubtful = (answer, now + Self.doubt)
        return [.tell(.doubtful(answer))]
    }

    package mutating func passed(at now: MonotonicTime) -> [Action] {
        if let end = self.end, now >= end { return self.stopped() }
        if let (answer, end) = self.doubtful, now >= min(end, self.expiry + Self.grace) {
            return [.finish(.answered(answer))]
        }
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

    package mutating func stopped() -> [Action] {
        [.finish(self.doubtful.map { .answered($0.answer) } ?? .pending(isAccepted: self.newest != nil))]
    }

    /// As soon as it is known whether the vehicle is there, or nobody seems to know.
    private mutating func sendIfDue(at now: MonotonicTime) -> [Action] {
        guard let since = self.since else { return [] }
        let isKnown = self.picture.availability != nil && self.picture.status != .null
        guard isKnown || now >= since + Self.look else { return [] }
        self.isSent = true
        self.wasOffline = self.picture.availability == .offline
        return [.tell(.sending(self.picture)), .publish(self.message)]
    }
}
