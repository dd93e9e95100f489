// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Subscriber

extension BrokerAccess {
    /// Follows topics until their deadline, or until a signal of the user, which is no error.
    ///
    /// The loss of the connection and the return are noted on standard error. It fails if the broker has not answered
    /// until the end, because then it is unknown what there was.
    ///
    /// - Parameters:
    ///   - writesOutput: whether `body` writes to standard output, so that the command ends with its reader.
    ///   - started: called once, when messages may come.
    package func followMessages(
        _ following: Following,
        writesOutput: Bool = true,
        started: () -> Void,
        _ body: (Message) throws -> Void
    ) async throws {
        var (isLost, hasBegun) = (false, false)
        try await self.follow(following, writesOutput: writesOutput) { progress in
            switch progress {
            case .message(let message): try body(message)
            case .connectionLost(let error):
                if !isLost { Output.note("\(error); reconnecting") }
                isLost = true
            case .subscribed:
                if !hasBegun { started() } else if isLost { Output.note("connected again") }
                (isLost, hasBegun) = (false, true)
            case .timePassed: break
            }
        }
        // The user who ends the command early need not wait for the broker.
        if !hasBegun, let deadline = following.deadline, self.now >= deadline { throw self.unanswered() }
    }

    /// Follows topics until their deadline, until a signal of the user, or until `stop` returns.
    ///
    /// - Parameters:
    ///   - writesOutput: whether `body` writes to standard output, so that the command ends with its reader.
    ///   - stop: ends the command for another reason; called once.
    ///   - body: called with all that happens.
    func follow(
        _ following: Following,
        writesOutput: Bool = true,
        until stop: (@Sendable () async -> Void)? = nil,
        _ body: (Following.Progress) throws -> Void
    ) async throws {
        let outcome = try await self.run(following, until: await StopSignals.first(or: stop)) { progress in
            try body(progress)
            guard writesOutput else { return }
            if case .timePassed = progress { try StandardOutput.checkReader() } else { try StandardOutput.check() }
        }
        if case .forbidden(let filter) = outcome { throw Self.forbidden(filter.description) }
    }

    /// Returns the failure of a subscription that has brought nothing.
    static func silence(_ topics: String) -> CommandFailure {
        CommandFailure(.temporaryFailure, SilenceWatch.words(topics), next: SilenceWatch.nextStep)
    }
}
