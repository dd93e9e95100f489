// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import MQTT
import Store

/// The destination of each response to a command, and the part of it that a stranger gets.
struct ResponseAdmission: Sendable {
    /// The largest size of a record without its body and topic, in bytes.
    private static let recordOverhead = 256
    /// The longest message of a response that is sent without its result, in bytes.
    private static let messageLimit = 300

    private let topicPrefix: Topic
    private var strangers: StrangerAccount

    init(topicPrefix: Topic, dailyBudget: Int?, at now: MonotonicTime) {
        self.topicPrefix = topicPrefix
        self.strangers = StrangerAccount(dailyBudget: dailyBudget, at: now)
    }

    /// A response that is sent.
    struct Admitted: Sendable {
        var response: CommandResponse
        var destination: StoredRecord.Destination
        /// The bytes on the wire that are for a stranger.
        var strangerBytes = 0
    }

    /// Returns the seconds after which there is room for the responses to another unsigned command; 0 if there is now.
    mutating func delayOfStranger(at now: MonotonicTime) -> Int { self.strangers.delay(at: now) }

    /// Returns the response in the form in which it is sent; nil if it is not sent.
    ///
    /// - Parameters:
    ///   - request: the command's message. Its response topic counts only below the vehicle's own `responses/`.
    ///   - vehicle: the vehicle of the command.
    mutating func admit(
        _ response: CommandResponse,
        to request: Message,
        vehicle: String,
        at now: MonotonicTime
    ) -> Admitted? {
        var destination = StoredRecord.Destination(vehicle: vehicle)
        destination.correlationData = request.properties.correlationData
        let own = try? VehicleTopics(prefix: self.topicPrefix, vehicle: vehicle).topic(.stream(.responses))
        // The comparison is of bytes: Swift's strings are also equal if they differ in their Unicode scalars.
        if let own, let topic = request.properties.responseTopic?.description,
            topic.utf8.starts(with: "\(own)/".utf8)
        {
            destination.responseTopic = topic
        }
        let admitted = Admitted(response: response, destination: destination)
        guard response.isUntrusted else { return admitted }
        return self.pay(for: admitted, topic: own?.description.utf8.count ?? 0, at: now)
    }

    /// Charges a response to a stranger: in full, or without its result if there is only room for that.
    ///
    /// A durable response is always sent, though without room only to `responses`: the number of waiting commands is
    /// bounded.
    private mutating func pay(for full: Admitted, topic: Int, at now: MonotonicTime) -> Admitted? {
        var admitted = full
        let isSigned = full.response.issuer != nil
        let body = Self.size(full.response)
        admitted.strangerBytes = Self.size(body, full.destination, topic: topic)
        if self.strangers.pay(admitted.strangerBytes, isSigned: isSigned, at: now) { return admitted }
        if full.response.state.isFinal {
            if full.response.result != nil {
                let bytes = admitted.strangerBytes
                let delay = self.strangers.delay(of: bytes, isSigned: isSigned, at: now)
                admitted.response.leaveResultOut(of: body, isSigned: isSigned, for: delay)
            }
            admitted.response.message = admitted.response.message?.prefix(bytes: Self.messageLimit)
            admitted.strangerBytes = Self.size(Self.size(admitted.response), admitted.destination, topic: topic)
            if self.strangers.pay(admitted.strangerBytes, isSigned: isSigned, at: now) { return admitted }
        }
        guard full.response.isDurable else { return nil }
        (admitted.destination.responseTopic, admitted.destination.correlationData) = (nil, nil)
        admitted.strangerBytes = Self.size(Self.size(admitted.response), admitted.destination, topic: topic)
        self.strangers.owe(admitted.strangerBytes)
        return admitted
    }

    private static func size(_ response: CommandResponse) -> Int {
        (try? PayloadEncoder.bytes(of: response).count) ?? 0
    }

    /// The largest size of a response on the wire in bytes: on `responses`, and on the requested topic.
    private static func size(_ body: Int, _ destination: StoredRecord.Destination, topic: Int) -> Int {
        let each = body + Self.recordOverhead + (destination.correlationData?.count ?? 0)
        return each + topic + (destination.responseTopic.map { each + $0.utf8.count } ?? 0)
    }
}

extension CommandResponse {
    /// Removes the result, and says so.
    ///
    /// A failure keeps its own reason and words.
    ///
    /// - Parameters:
    ///   - body: the bytes of the complete response.
    ///   - isSigned: whether the command is signed, so that this is a repeated response.
    ///   - delay: the seconds after which there is room for the result; nil if there never is.
    fileprivate mutating func leaveResultOut(of body: Int, isSigned: Bool, for delay: Int?) {
        self.result = nil
        guard self.state == .succeeded else {
            self.message = "\(self.message ?? "") The result was left out."
            return
        }
        let receivers = isSigned ? "repeated commands" : "senders without a signature"
        let remedies = [
            isSigned ? nil : "sign the command", delay.map { "send it again in \($0) s, under the same id" },
        ].compactMap(\.self)
        self.reason = .resultLeftOut
        self.retryAfter = delay
        self.message =
            "The result was left out: an answer of \(body) bytes is more than \(receivers) may get now. "
            + "Try: \(remedies.isEmpty ? "a new command" : remedies.joined(separator: ", or "))."
    }
}
