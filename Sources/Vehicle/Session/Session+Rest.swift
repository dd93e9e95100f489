// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

extension Session {
    /// The time after which polling goes on if nobody cancels the session's task.
    private static let longestRest = Duration.seconds(60)

    /// Waits until no request is under way; none begins then until the session's task is cancelled.
    ///
    /// An adapter whose request is cut off costs the next process a third of a second, because the answer may still come.
    ///
    /// - Parameter limit: the longest wait.
    package func rest(atMost limit: Duration) async {
        let (reached, signal) = AsyncStream.makeStream(of: Never.self)
        let clock = self.clock
        Task {
            _ = try? await self.withBus { (_) throws(SessionError) in
                signal.finish()
                try? await clock.sleep(until: clock.now + Self.longestRest)
            }
            signal.finish()
        }
        await withTaskGroup { group in
            group.addTask { for await _ in reached {} }
            group.addTask { try? await clock.sleep(until: clock.now + limit) }
            await group.next()
            group.cancelAll()
        }
    }
}
