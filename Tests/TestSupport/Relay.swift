// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
internal import Glibc

/// A transparent TCP relay between two parties, which forwards bytes and injects the faults that a test requests.
package final class Relay: Sendable {
    /// Changes bytes from the far end before they reach the near end.
    package typealias Rewrite = @Sendable ([UInt8]) -> [UInt8]

    /// The port to which the near end connects.
    package var port: UInt16 { self.switchboard.listener.port }
    private let switchboard: Switchboard

    /// Starts a relay.
    ///
    /// - Parameter target: the port of 127.0.0.1 to which connections are forwarded.
    package init(to target: UInt16) throws {
        let switchboard = Switchboard(listener: try LoopbackListener(), target: target)
        self.switchboard = switchboard
        try startThread { switchboard.accept() }
    }

    deinit {
        self.switchboard.stop()
    }

    /// The number of forwarded connections so far.
    package var connectionCount: Int { self.switchboard.state.withLock(\.count) }

    /// Forwards later connections to another port.
    package func retarget(to port: UInt16) {
        self.switchboard.state.withLock { $0.target = port }
    }

    /// Ends every connection; with `refusing`, also every new one, until ``accept()``.
    package func drop(refusing: Bool = false) {
        self.switchboard.drop(refusing: refusing)
    }

    /// Accepts connections again.
    package func accept() {
        self.switchboard.state.withLock { $0.isRefusing = false }
    }

    /// Sends bytes to the near end, as if they came from the far end.
    package func inject(_ bytes: [UInt8]) {
        for line in self.switchboard.state.withLock(\.lines) { line.near.write(bytes) }
    }

    /// The number of bytes from the near end so far.
    package var bytesFromNear: Int { self.switchboard.state.withLock(\.bytesFromNear) }

    /// Stops forwarding in both directions without ending a connection, like a lost network.
    package func stall() {
        self.switchboard.state.withLock { $0.isStalled = true }
    }

    /// Changes all later bytes from the far end; nil: forwards them unchanged.
    package func rewrite(_ rewrite: Rewrite?) {
        self.switchboard.state.withLock { $0.rewrite = rewrite }
    }
}

/// A connection with its two sockets, which are closed when both directions have ended.
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
        var isRefusing = false
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
            let (target, isStopped) = self.state.withLock { ($0.isRefusing ? nil : $0.target, $0.isStopped) }
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
            state.isRefusing = refusing
            return state.lines
        }
        for line in lines { line.end() }
    }

    func stop() {
        self.state.withLock { $0.isStopped = true }
        self.drop(refusing: true)
        // This wakes the thread that waits for a connection.
        if let descriptor = try? Loopback.connect(to: self.listener.port) { close(descriptor) }
    }
}
