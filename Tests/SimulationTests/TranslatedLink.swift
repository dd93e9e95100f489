// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import Simulator

/// A link to an adapter in virtual time, for an agent whose clock counts from its boot.
final class TranslatedLink: AdapterLink {
    private let link: SimulatedLink
    private let bootedAt: MonotonicTime
    /// Called before and after each write.
    private let writes: @Sendable (_ bytes: [UInt8], _ isDone: Bool) -> Void

    init(
        _ link: SimulatedLink,
        bootedAt: MonotonicTime,
        writes: @escaping @Sendable (_ bytes: [UInt8], _ isDone: Bool) -> Void
    ) {
        self.link = link
        self.bootedAt = bootedAt
        self.writes = writes
    }

    var address: String { self.link.address }

    func write(_ bytes: [UInt8]) async throws(LinkError) {
        self.writes(bytes, false)
        try await self.link.write(bytes)
        self.writes(bytes, true)
    }

    func read(until deadline: MonotonicTime) async throws(LinkError) -> LinkInput {
        try await self.link.read(until: self.bootedAt + deadline.sinceBoot)
    }

    func interruptRead() { self.link.interruptRead() }
    func close() { self.link.close() }
}
