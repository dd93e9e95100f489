// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
internal import Glibc

/// TCP in between two parties that know nothing of it: passes bytes on, and makes the faults that a test asks for.
package final class Relay: Sendable {
    /// Changes what comes from the far end before the near end sees it.
    package typealias Rewrite = @Sendable ([UInt8]) -> [UInt8]

    /// Where the near end connects to.
    package var port: UInt16 { self.switchboard.listener.port }
    private let switchboard: Switchboard

    /// - Parameter target: the port of 127.0.0.1 that connections are passed on to.
    package init(to target: UInt16) throws {
        let switchboard = Switchboard(listener: try LoopbackListener(), target: target)
        self.switchboard = switchboard
        try startThread { switchboard.accept() }
    }

    deinit {
        self.switchboard.stop()
    }

    /// How many connections have been passed on so far.
    package var connectionCount: Int { self.switchboard.state.withLock(\.count) }

    /// Passes the next connections on to another port.
    package func retarget(to port: UInt16) {
        self.switchboard.state.withLock { $0.target = port }
    }

    /// Ends every connection; with `refusing`, also every new one, until ``accept()``.
    package func drop(refusing: Bool = false) {
        self.switchboard.drop(refusing: refusing)
    }

    /// Takes connections again.
    package func accept() {
        self.switchboard.state.withLock { $0.refuses = false }
    }

    /// Sends bytes to the near end, as if they came from the far end.
    package func inject(_ bytes: [UInt8]) {
        for line in self.switchboard.state.withLock(\.lines) { line.near.write(bytes) }
    }

    /// How many bytes have come from the near end.
    package var bytesFromNear: Int { self.switchboard.state.withLock(\.bytesFromNear) }

    /// From now on nothing is passed on, either way, and no connection ends: as on a network that has gone away.
    package func stall() {
        self.switchboard.state.withLock { $0.isStalled = true }
    }

    /// From now on what comes from the far end is changed; nil: passed on as it is.
    package func rewrite(_ rewrite: Rewrite?) {
        self.switchboard.state.withLock { $0.rewrite = rewrite }
    }
}

/// One connection, in its two halves; closed when neither is read any more.
private final class Line: Sendable {
    let near: LoopbackPeer
    let far: LoopbackPeer

    init(near: Int32, far: Int32) {
        self.near = LoopbackPeer(descriptor: near)
        self.far = LoopbackPeer(descriptor: far)
    }

    deinit {
        close(self.near.descriptor)
        close(self.far.descriptor)
    }

    func end() {
        shutdown(self.near.descriptor, Int32(SHUT_RDWR))
        shutdown(self.far.descriptor, Int32(SHUT_RDWR))
    }
}

private final class Switchboard: Sendable {
    struct State {
        var target: UInt16
        var lines: [Line] = []
        var count = 0
        var refuses = false
        var isStopped = false
        var rewrite: Relay.Rewrite?
        var bytesFromNear = 0
        var isStalled = false
    }

    let listener: LoopbackListener
    let state: Locked<State>

    init(listener: LoopbackListener, target: UInt16) {
        self.listener = listener
        self.state = Locked(State(target: target))
    }

    func accept() {
        while true {
            let near = Glibc.accept(self.listener.descriptor, nil, nil)
            let (target, isStopped) = self.state.withLock { ($0.refuses ? nil : $0.target, $0.isStopped) }
            guard near >= 0, !isStopped else {
                if near >= 0 { close(near) }
                return
            }
            _ = fcntl(near, F_SETFD, FD_CLOEXEC)
            guard let target, let far = try? Loopback.connect(to: target) else {
                close(near)
                continue
            }
            self.connect(Line(near: near, far: far))
        }
    }

    private func connect(_ line: Line) {
        self.state.withLock { state in
            state.lines.append(line)
            state.count += 1
        }
        try? startThread {
            self.pass(from: line.near, to: line.far, of: line) { bytes in
                self.state.withLock { $0.bytesFromNear += bytes.count }
                return bytes
            }
        }
        try? startThread {
            self.pass(from: line.far, to: line.near, of: line) { bytes in
                self.state.withLock(\.rewrite).map { $0(bytes) } ?? bytes
            }
        }
    }

    private func pass(from source: LoopbackPeer, to sink: LoopbackPeer, of line: Line, _ change: Relay.Rewrite) {
        while true {
            let bytes = source.read()
            guard !bytes.isEmpty else { break }
            let changed = change(bytes)
            if !self.state.withLock(\.isStalled) { sink.write(changed) }
        }
        line.end()
        self.state.withLock { $0.lines.removeAll { $0 === line } }
    }

    func drop(refusing: Bool) {
        let lines = self.state.withLock { state in
            state.refuses = refusing
            return state.lines
        }
        for line in lines { line.end() }
    }

    func stop() {
        self.state.withLock { $0.isStopped = true }
        self.drop(refusing: true)
        // Wakes the thread that waits for a connection.
        if let descriptor = try? Loopback.connect(to: self.listener.port) { close(descriptor) }
    }
}
