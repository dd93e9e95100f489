// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract

extension CommandRunner {
    /// Queues records to be published again; a disk that can't be read fails the command.
    func resend(_ request: ResendArguments) async -> CommandResult {
        do throws(Refusal) {
            return CommandResult(state: .succeeded, result: try await self.access.resend(request).json)
        } catch {
            let isFailure = error.reason == .recordsUnreadable
            return CommandResult(state: isFailure ? .failed : .refused, reason: error.reason, message: error.message)
        }
    }
}
