// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import FaultVFS

/// A counter of the steps around an agent that blows at a set step, and so cuts the power.
final class Fuse: Sendable {
    /// A counted step.
    enum Step: Hashable, Sendable {
        /// Bytes to the adapter are on their way, or have arrived.
        case adapterIsAsked, adapterWasAsked
        /// A sync of written data to the disk begins, or has ended.
        case diskSyncs, diskHasSynced
        /// A record has reached the broker, which has not acknowledged it yet.
        case brokerHas
    }

    private struct State: Sendable {
        var left: Int?
        var blownAt: Step?
        var blow: (@Sendable (Step) -> Void)?
    }

    private let state = Locked(State())

    /// The step at which the fuse has blown; nil if it has not blown yet.
    var blownAt: Step? { self.state.withLock { $0.blownAt } }

    /// Sets the fuse.
    ///
    /// - Parameters:
    ///   - number: the number of the last step, from 1.
    ///   - blow: called at that step to cut the power.
    func set(toBlowAt number: Int, _ blow: @escaping @Sendable (Step) -> Void) {
        self.state.withLock { $0 = State(left: number, blow: blow) }
    }

    /// Removes the fuse, which counts no step from now on.
    func remove() {
        self.state.withLock { ($0.left, $0.blow) = (nil, nil) }
    }

    func count(_ step: Step) {
        let blow = self.state.withLock { state -> (@Sendable (Step) -> Void)? in
            guard let left = state.left else { return nil }
            state.left = left == 1 ? nil : left - 1
            guard left == 1 else { return nil }
            state.blownAt = step
            return state.blow.take()
        }
        blow?(step)
    }
}

/// The watchers of syncs, by the directory of the synced files.
enum Syncs {
    private static let watchers = Locked<[String: @Sendable (_ isDone: Bool) -> Void]>([:])

    /// Calls `watcher` before and after each sync of a file in `directory`; nil ends this.
    static func watch(_ directory: String, _ watcher: (@Sendable (_ isDone: Bool) -> Void)?) {
        self.watchers.withLock { $0[directory] = watcher }
        unsafe fault_vfs_on_sync { path, isDone in
            guard let path = unsafe path else { return }
            Syncs.happened(to: unsafe String(cString: path), isDone != 0)
        }
    }

    private static func happened(to path: String, _ isDone: Bool) {
        let directory = path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        self.watchers.withLock { $0[directory] }?(isDone)
    }
}
