// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import EventLoop
import SocketCAN

/// The way of a command to the vehicle: the attempt to open a link, and the link or the CAN port.
final class HeldAdapter: Sendable {
    private typealias Opening = Task<Result<any AdapterLink, LinkError>, Never>

    private struct State {
        var isReleased = false
        var opening: Opening?
        var close: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Opens the link; a release cancels the attempt.
    func open(
        _ body: @escaping @Sendable () async throws(LinkError) -> any AdapterLink
    ) async throws(LinkError) -> any AdapterLink {
        let opening = Opening {
            do throws(LinkError) { return .success(try await body()) } catch { return .failure(error) }
        }
        let wasReleased = self.state.withLock { state in
            state.opening = opening
            return state.isReleased
        }
        if wasReleased { opening.cancel() }
        let link = try await opening.value.get()
        self.hold { link.close() }
        return link
    }

    /// Opens the port on a CAN interface.
    func open(_ interface: String) throws(CANError) -> any CANPort {
        let port = try SocketCANPort(interface)
        self.hold { port.close() }
        return port
    }

    /// Has a release close what was opened; at once if it has come already.
    private func hold(_ close: @escaping @Sendable () -> Void) {
        let isReleased = self.state.withLock { state in
            state.close = close
            return state.isReleased
        }
        if isReleased { close() }
    }

    /// Cancels the attempt, or closes what is open, so that whoever uses it ends with an error.
    func release() {
        let (opening, close) = self.state.withLock { state in
            state.isReleased = true
            return (state.opening, state.close)
        }
        opening?.cancel()
        close?()
    }
}
