// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import Base
import Store

// Responses to commands, and what of them strangers get.
extension Uplink {
    /// The most that a record has beside its body and its topic, in bytes.
    private static let recordOverhead = 256
    /// The longest message of a response that is sent without its result, in bytes.
    private static let messageLimit = 300

    /// Whether the answers to another unsigned command may be sent.
    package func mayAnswerStranger() -> Bool { self.strangers.hasRoom(at: self.clock.now) }

    /// Records a response, and sends it also to where the requester wants it.
    ///
    /// A binding response is on the disk when this returns. A stranger gets no more than ``StrangerAccount`` has room for.
    ///
    /// - Parameters:
    ///   - vehicle: the vehicle that the command was for.
    ///   - request: the command's message; its response topic counts only below the vehicle's own `responses/`.
    /// - Returns: why a power cut would not leave it where it is; nil where it would, or where it is not binding.
    @discardableResult
    package func record(_ response: CommandResponse, to request: Message, vehicle: String) async -> String? {
        var destination = StoredRecord.Destination(vehicle: vehicle)
        destination.correlationData = request.properties.correlationData
        let own = try? VehicleTopics(prefix: self.options.topicPrefix, vehicle: vehicle).topic(.stream(.responses))
        // On bytes: a text is also equal to one that is written with other scalars.
        if let own, let topic = request.properties.responseTopic?.description,
            topic.utf8.starts(with: "\(own)/".utf8)
        {
            destination.responseTopic = topic
        }
        var response = response
        if response.isUntrusted {
            let topic = own?.description.utf8.count ?? 0
            guard self.affords(&response, &destination, topic: topic) else { return nil }
        }
        let binds = response.isDurable
        let problem = await self.record(
            response,
            to: .responses,
            destination: destination,
            isCritical: binds,
            isUrgent: binds
        )
        return binds ? problem ?? self.storeProblem : nil
    }

    /// Whether a stranger gets the response: as it is, or without its result where there is room for that only.
    ///
    /// A binding response is always sent, though perhaps only to `responses`: the number of those that wait is bounded.
    private func affords(
        _ response: inout CommandResponse,
        _ destination: inout StoredRecord.Destination,
        topic: Int
    ) -> Bool {
        let isSigned = response.issuer != nil
        let body = Self.size(response)
        var size = Self.size(body, destination, topic: topic)
        var isPaid = self.strangers.pay(size, isSigned: isSigned, at: self.clock.now)
        if !isPaid, response.state.isFinal {
            if response.result != nil {
                response.message =
                    "The result was left out: an answer of \(body) bytes is more than strangers may get now. "
                    + "Try: sign the command, or send it again later."
            }
            response.result = nil
            response.message = response.message?.prefix(bytes: Self.messageLimit)
            size = Self.size(Self.size(response), destination, topic: topic)
            isPaid = self.strangers.pay(size, isSigned: isSigned, at: self.clock.now)
        }
        if !isPaid {
            guard response.isDurable else { return false }
            (destination.responseTopic, destination.correlationData) = (nil, nil)
            size = Self.size(Self.size(response), destination, topic: topic)
            self.strangers.owe(size)
        }
        self.traffic.addForStrangers(size)
        return true
    }

    private static func size(_ response: CommandResponse) -> Int {
        (try? PayloadEncoder.bytes(of: response).count) ?? 0
    }

    /// The bytes that a response takes on the wire, at most: on `responses`, and on the topic that was asked for.
    private static func size(_ body: Int, _ destination: StoredRecord.Destination, topic: Int) -> Int {
        let each = body + Self.recordOverhead + (destination.correlationData?.count ?? 0)
        return each + topic + (destination.responseTopic.map { each + $0.utf8.count } ?? 0)
    }
}
