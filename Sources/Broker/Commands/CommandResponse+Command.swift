// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract

extension Command {
    /// A response to it.
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
    /// What whoever sent something that is no command is told.
    init(_ refusal: Refusal) {
        self.init(
            id: refusal.id,
            command: refusal.command,
            state: .refused,
            reason: refusal.reason,
            message: refusal.message,
            issuer: refusal.issuer
        )
    }
}

extension CommandResult {
    init(_ refusal: Refusal) {
        self.init(state: .refused, reason: refusal.reason, message: refusal.message)
    }
}

extension AgentEvent {
    /// What a command is about to erase.
    init(beforeClearBy command: Command, _ codes: CodesReport, _ monitors: MonitorsReport?) {
        self.init(.beforeClear)
        (self.commandID, self.issuer) = (command.id, command.signer?.issuer)
        (self.codes, self.monitors) = (codes, monitors)
    }
}
