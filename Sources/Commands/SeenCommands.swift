// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// The commands that were obeyed, so that none is obeyed twice: brokers deliver QoS 1 more than once.
///
/// Bounded; the oldest are forgotten first. A command can't come back after that, since it has expired.
package struct SeenCommands: Sendable {
    private let limit: Int
    private var order: [String] = []
    private var responses: [String: CommandResponse] = [:]

    package init(limit: Int = 10_000) {
        self.limit = limit
    }

    /// The last response to a command of this id; nil where there was none.
    package func response(to id: String) -> CommandResponse? {
        self.responses[id]
    }

    /// A command of this id was answered so.
    package mutating func remember(_ response: CommandResponse) {
        guard let id = response.id else { return }
        if self.responses.updateValue(response, forKey: id) == nil {
            self.order.append(id)
            if self.order.count > self.limit { self.responses[self.order.removeFirst()] = nil }
        }
    }
}
