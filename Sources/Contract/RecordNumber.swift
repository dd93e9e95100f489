// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What makes a record of a stream unique: who wrote it, in which life, and its number in that stream.
package struct RecordNumber: Hashable, Sendable {
    package let agent: String
    /// Grows with every start of the agent.
    package let epoch: UInt64
    /// Grows by one from record to record of one stream in one epoch.
    package let seq: UInt64

    package init(agent: String, epoch: UInt64, seq: UInt64) {
        self.agent = agent
        self.epoch = epoch
        self.seq = seq
    }

    enum CodingKeys: String, CodingKey {
        case v, agent, epoch, seq
    }

    func encode(into container: inout KeyedEncodingContainer<CodingKeys>) throws {
        try container.encode(1, forKey: .v)
        try container.encode(self.agent, forKey: .agent)
        try container.encode(self.epoch, forKey: .epoch)
        try container.encode(self.seq, forKey: .seq)
    }
}

/// The payload of a stream: a numbered record.
package struct Record<Body: Encodable & Sendable>: Encodable, Sendable {
    package let number: RecordNumber
    package let body: Body

    package init(number: RecordNumber, body: Body) {
        self.number = number
        self.body = body
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: RecordNumber.CodingKeys.self)
        try self.number.encode(into: &container)
        try self.body.encode(to: encoder)
    }
}
