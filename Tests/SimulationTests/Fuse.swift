// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import FaultVFS

/// Counts what happens around an agent, and blows at the step that it is set for: then the power is gone.
final class Fuse: Sendable {
    /// What is counted.
    enum Step: Hashable, Sendable {
        /// Bytes for the adapter, on their way and there.
        case adapterIsAsked, adapterWasAsked
        /// What was written to the disk, while the device may still lose it, and once it may not.
        case diskSyncs, diskHasSynced
        /// A record at the broker, whose acknowledgement has not gone out.
        case brokerHas
    }

    private struct State: Sendable {
        var left: Int?
        var blownAt: Step?
        var blow: (@Sendable (Step) -> Void)?
    }

    private let state = Locked(State())

    /// Where it has blown; nil: not yet.
    var blownAt: Step? { self.state.withLock { $0.blownAt } }

    /// Sets the fuse.
    ///
    /// - Parameters:
    ///   - number: which step is the last, from 1.
    ///   - blow: cuts the power, there and then.
    func set(toBlowAt number: Int, _ blow: @escaping @Sendable (Step) -> Void) {
        self.state.withLock { $0 = State(left: number, blow: blow) }
    }

    /// Nothing is counted from now on.
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

/// Who wants to know when the files of a directory reach the device.
enum Syncs {
    private static let watchers = Locked<[String: @Sendable (_ isDone: Bool) -> Void]>([:])

    /// Calls `watcher` before and after each sync below `directory`; nil: no more.
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
