// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Session
import TestSupport

/// The whole way of a J1939 message: from the text of an adapter to its data.
struct GroupOracle {
    private var numbers: SeededNumbers
    private let adapter = RecordedAdapter()
    private let conversation: AdapterConversation

    init(seed: UInt64) {
        self.numbers = SeededNumbers(seed)
        self.conversation = AdapterConversation(self.adapter, clock: self.adapter)
    }

    /// Returns the data of a group in the agent's answer, by the address of the sender.
    ///
    /// - Parameter messages: everything that the adapter prints, in order.
    mutating func data(of group: PGN, in messages: [GroupMessage]) async throws -> [UInt8: [UInt8]] {
        let request = BusRequest(group: group.rawValue, isSlow: messages.contains { $0.data.count > 8 })
        let reply = PrintedReply(
            messages.flatMap(\.lines),
            identifierLength: 8,
            echo: group.description,
            isOrdered: true,
            using: &self.numbers
        )
        self.adapter.answer(with: reply)
        guard case .answered(let answers) = try await self.conversation.ask(request, on: .j1939).outcome else {
            return [:]
        }
        var data: [UInt8: [UInt8]] = [:]
        for case (.j1939(let source), .positive(let messages)) in answers {
            data[source] = messages.last.map { Array($0.dropFirst(group.bytes.count)) }
        }
        return data
    }
}
