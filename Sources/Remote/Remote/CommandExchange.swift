// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract
package import MQTT
package import Subscriber

/// Sends a command to a vehicle, and waits for its responses.
///
/// Before sending, it reads whether the vehicle is online. The command is sent again with the same id when the
/// connection was lost, when the vehicle comes online without answering, and when the agent is busy: a broker may
/// have lost the command. An agent that has already run it repeats its response and does nothing else.
///
/// The id is no secret: other clients can send a command with the same id, and the agent answers them too. So for a
/// signed command only responses count that name its signer. Every response to a command with a verified signature
/// does.
package struct CommandExchange: BrokerMachine {
    /// The longest wait for the retained messages before the command is sent.
    static let statusTimeout = Duration.milliseconds(500)
    /// The time after the expiry of the command for which a response may still arrive.
    static let responseGrace = Duration.seconds(5)
    /// The longest time between two responses of an agent that has accepted the command.
    static let silenceTimeout = Duration.seconds(300)
    /// The first interval between two attempts.
    ///
    /// The interval doubles with each attempt.
    static let firstRetryInterval = Duration.seconds(3)
    /// The time for which a refusal without the signer's name may still be replaced by another response.
    package static let refusalDelay = Duration.seconds(10)
    /// The reasons of refusals after which the command is sent again: the agent has not judged it.
    private static let retryReasons: [CommandResponse.Reason] = [.busy, .rateLimited]
    /// The number of stored responses, which are compared to drop duplicates.
    private static let responseLimit = 16

    /// The progress of a command.
    package enum Progress: Hashable, Sendable {
        /// The command is sent to this vehicle.
        case sending(VehiclePicture)
        /// The vehicle came online or went offline.
        case availability(Availability)
        /// A response that is not the final one.
        case response(ReceivedResponse)
        /// The agent has no room for the command or for its result; the command is sent again after this time.
        case waiting(ReceivedResponse, Duration)
        /// A refusal that does not name the signer. Another response that does may still arrive.
        case unverifiedRefusal(ReceivedResponse)
        /// The connection to the broker is lost.
        case connectionLost(MQTTError)
    }

    /// The end of an exchange.
    package enum Outcome: Hashable, Sendable {
        /// The final response.
        ///
        /// For a signed command it names the signer, unless it is a refusal and no other response came.
        case answered(ReceivedResponse)
        /// The agent was offline, came back, and refused the command because the vehicle was not connected yet.
        case refusedOnReturn(ReceivedResponse)
        /// The command expired without a response, or no further response came after it was accepted.
        case unanswered(isAccepted: Bool)
        /// The caller stopped waiting. The agent may still run the command.
        case pending(isAccepted: Bool)
        /// The broker did not answer until the end of the wait, so the command was never sent.
        case unsent
        /// The broker does not allow this client to read the responses.
        case responsesForbidden
        /// The broker rejected the command, with a reason code of MQTT 5.
        case commandRejected(code: UInt8)
    }

    package let filters: [TopicFilter]
    package let qos = QoS.atLeastOnce
    private let message: Message
    private let id: String
    /// The signer of the command; nil if it is unsigned.
    private let issuer: String?
    private let topics: FleetTopics
    private let expiry: MonotonicTime
    private let end: MonotonicTime?
    private var picture: VehiclePicture
    private var subscribedAt: MonotonicTime?
    private var isSent = false
    /// Whether the vehicle was offline when the command was sent, or later.
    private var wasOffline = false
    /// The time of the last response.
    private var lastResponseTime: MonotonicTime?
    /// Whether a response has named the signer.
    private var isSignerConfirmed = false
    /// A refusal that may belong to another client's command, and the time after which it counts.
    private var unverifiedRefusal: (response: ReceivedResponse, end: MonotonicTime)?
    private var reportedResponses: [JSON] = []
    /// The time of the next attempt, the interval before it, and the response that asks for it.
    private var retry: (at: MonotonicTime, interval: Duration, cause: ReceivedResponse?)?

    /// - Parameters:
    ///   - command: the command.
    ///   - payload: the encoded and possibly signed command.
    ///   - issuer: the signer; nil if the command is unsigned.
    ///   - topics: the topics of the fleet.
    ///   - expiry: the expiry of the command.
    ///   - end: the end of the wait; nil to wait until the command has expired.
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
        let validity = (command.expiresAt - command.issuedAt).milliseconds
        self.message = Message(
            topic: try topics.topic("commands", of: command.vehicle),
            payload: payload,
            qos: .atLeastOnce,
            properties: Message.Properties(
                responseTopic: own,
                correlationData: Array(command.id.utf8),
                expiry: UInt32(clamping: (validity + 999) / 1000),
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

    package mutating func subscriptionAnswered(_ grants: [Bool], at now: MonotonicTime) -> [Action] {
        // One of both topics is enough: a broker may allow a client to read only the responses to its own commands.
        guard grants.prefix(2).contains(true) else { return [.finish(.responsesForbidden)] }
        self.subscribedAt = now
        return self.isSent ? [.publish(self.message)] : self.sendIfDue(at: now)
    }

    package mutating func messageReceived(_ message: Message, at now: MonotonicTime) -> [Action] {
        guard let (vehicle, path) = self.topics.split(message.topic), vehicle == self.picture.name else { return [] }
        let before = self.picture.availability
        if self.picture.receive(path, message.payload) {
            guard self.isSent else { return self.sendIfDue(at: now) }
            guard let after = self.picture.availability, after != before else { return [] }
            if after == .offline { self.wasOffline = true }
            let isDue = after == .online && self.lastResponseTime == nil
            self.retry = isDue ? (now + Self.firstRetryInterval, Self.firstRetryInterval, nil) : nil
            return [.report(.availability(after))]
        }
        // A response without an id comes only on the own topic: the agent could not read the id.
        let isOwn = path == "responses/\(self.id)"
        guard isOwn || path == "responses", let response = ReceivedResponse(message.payload),
            response.id == self.id || (isOwn && response.id == nil),
            // Each response comes on two topics, and with QoS 1 possibly twice on each.
            !self.reportedResponses.contains(response.json)
        else { return [] }
        if let issuer = self.issuer {
            guard response.issuer == issuer else { return self.handleUnverified(response, at: now) }
            (self.isSignerConfirmed, self.unverifiedRefusal) = (true, nil)
        }
        if self.reportedResponses.count == Self.responseLimit { self.reportedResponses.removeFirst() }
        self.reportedResponses.append(response.json)
        // The agent has not judged the command. The contract requires the same id for the next attempt. A repeated
        // refusal is in the agent's journal, so the same id is never answered otherwise.
        let isUnjudged = Self.retryReasons.contains { $0.rawValue == response.reason } && !response.isRepeat
        if response.state == .refused && isUnjudged || response.isResultLeftOut {
            return self.retryLater(after: response, at: now)
        }
        self.lastResponseTime = now
        self.retry = nil
        guard response.state.isFinal else { return [.report(.response(response))] }
        let isTooEarly = response.state == .refused && response.reason == CommandResponse.Reason.notConnected.rawValue
        return [.finish(isTooEarly && self.wasOffline ? .refusedOnReturn(response) : .answered(response))]
    }

    /// Sends the command again later under its id; the agent then repeats a response that it has in its journal.
    ///
    /// The response ends the exchange if the agent needs more time than is left, or will never have room.
    private mutating func retryLater(after response: ReceivedResponse, at now: MonotonicTime) -> [Action] {
        guard let wait = response.retryAfter else {
            guard !response.isResultLeftOut else { return [.finish(.answered(response))] }
            let interval = self.retry?.interval ?? Self.firstRetryInterval
            self.retry = (now + interval, interval, response)
            return [.report(.response(response))]
        }
        guard now + wait < min(self.end ?? self.expiry, self.expiry) else { return [.finish(.answered(response))] }
        self.retry = (now + wait, Self.firstRetryInterval, response)
        return [.report(.waiting(response, wait))]
    }

    /// Takes a response that does not name the signer of the command.
    ///
    /// Such a response belongs to this command only if the signature could not be verified. Then it is a refusal, and
    /// no other response follows.
    private mutating func handleUnverified(_ response: ReceivedResponse, at now: MonotonicTime) -> [Action] {
        // An agent refuses as busy only after it has verified the signature.
        let isPossible = response.state == .refused && !Self.retryReasons.contains { $0.rawValue == response.reason }
        guard isPossible, !self.isSignerConfirmed, self.unverifiedRefusal == nil else { return [] }
        self.unverifiedRefusal = (response, now + Self.refusalDelay)
        return [.report(.unverifiedRefusal(response))]
    }

    package mutating func timePassed(at now: MonotonicTime) -> [Action] {
        if let end = self.end, now >= end { return self.stopRequested() }
        if let (response, end) = self.unverifiedRefusal, now >= min(end, self.expiry + Self.responseGrace) {
            return [.finish(.answered(response))]
        }
        let isAccepted = self.lastResponseTime != nil
        if !self.isSent, now >= self.expiry { return [.finish(.unsent)] }
        let silenceEnd = self.lastResponseTime.map { max($0 + Self.silenceTimeout, self.expiry) }
        if now >= silenceEnd ?? (self.expiry + Self.responseGrace) {
            return [.finish(self.retry?.cause.map { .answered($0) } ?? .unanswered(isAccepted: isAccepted))]
        }
        guard self.isSent else { return self.sendIfDue(at: now) }
        guard let (time, interval, cause) = self.retry, now >= time else { return [] }
        self.retry = (now + interval * 2, interval * 2, cause)
        return [.publish(self.message)]
    }

    package mutating func publishRejected(code: UInt8) -> [Action] { [.finish(.commandRejected(code: code))] }

    package mutating func connectionLost(_ error: MQTTError) -> [Action] { [.report(.connectionLost(error))] }

    package mutating func stopRequested() -> [Action] {
        guard self.isSent else { return [.finish(.unsent)] }
        return [
            .finish(
                (self.unverifiedRefusal?.response ?? self.retry?.cause).map { .answered($0) }
                    ?? .pending(isAccepted: self.lastResponseTime != nil)
            )
        ]
    }

    /// Sends the command when the state of the vehicle is known, or has not arrived in time.
    private mutating func sendIfDue(at now: MonotonicTime) -> [Action] {
        guard let start = self.subscribedAt else { return [] }
        let isKnown = self.picture.availability != nil && self.picture.status != .null
        guard isKnown || now >= start + Self.statusTimeout else { return [] }
        self.isSent = true
        self.wasOffline = self.picture.availability == .offline
        return [.report(.sending(self.picture)), .publish(self.message)]
    }
}
