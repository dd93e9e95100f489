// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract

extension Command {
    /// Returns a response to the command in this state.
    func response(_ state: CommandResponse.State) -> CommandResponse {
        CommandResponse(
            id: self.id,
            command: self.action.name.rawValue,
            state: state,
            issuer: self.signer?.issuer,
            issuedAt: self.issuedAt,
            expiresAt: self.expiresAt
        )
    }
}

extension CommandResponse {
    /// Creates the response to a message that is not a command.
    init(_ refusal: Refusal) {
        self.init(
            id: refusal.id,
            command: refusal.command,
            state: .refused,
            reason: refusal.reason,
            message: refusal.message,
            issuer: refusal.issuer
        )
        self.retryAfter = refusal.retryAfter
    }
}

extension CommandResult {
    init(_ refusal: Refusal) {
        self.init(state: .refused, reason: refusal.reason, message: refusal.message)
    }
}

extension AgentEvent {
    /// Creates the event with the data that a command is about to erase.
    init(beforeClearBy command: Command, _ codes: CodesReport, _ monitors: MonitorsReport?) {
        self.init(.beforeClear)
        (self.commandID, self.issuer) = (command.id, command.signer?.issuer)
        (self.codes, self.monitors) = (codes, monitors)
    }
}
