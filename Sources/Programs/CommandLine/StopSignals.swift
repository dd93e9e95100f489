// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc
import UnixSignals

/// The signals that end a command which otherwise runs until its time is up.
enum StopSignals {
    /// Traps the signals that the process does not ignore.
    ///
    /// `nohup` has a process ignore SIGHUP, and a recording then goes on. Only one task may iterate over the result, once.
    static func trapped() async -> UnixSignalsSequence {
        let others = [(UnixSignal.sighup, SIGHUP), (.sigquit, SIGQUIT)].filter { !Self.isIgnored($0.1) }.map(\.0)
        return await UnixSignalsSequence(trapping: [.sigint, .sigterm] + others)
    }

    /// Traps the signals, and returns a function that returns at the first one, or once `stop` returns.
    ///
    /// The function may be called once.
    static func first(or stop: (@Sendable () async -> Void)?) async -> @Sendable () async -> Void {
        let signals = await Self.trapped()
        return {
            await withTaskGroup { group in
                group.addTask {
                    for await _ in signals {
                        StandardOutput.commandEnds()
                        return
                    }
                }
                if let stop { group.addTask { await stop() } }
                await group.next()
                group.cancelAll()
            }
        }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        let ignore = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignore
    }
}
