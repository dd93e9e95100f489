// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import EventLoop

/// The adapter of a command: the attempt to open its link, and the link.
final class HeldAdapter: Sendable {
    private typealias Opening = Task<Result<any AdapterLink, LinkError>, Never>

    private struct State {
        var isReleased = false
        var opening: Opening?
        var link: (any AdapterLink)?
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
        let isReleased = self.state.withLock { state in
            state.link = link
            return state.isReleased
        }
        if isReleased { link.close() }
        return link
    }

    /// Cancels the attempt, or closes the link, so that whoever uses it ends with an error.
    func release() {
        let (opening, link) = self.state.withLock { state in
            state.isReleased = true
            return (state.opening, state.link)
        }
        opening?.cancel()
        link?.close()
    }
}
