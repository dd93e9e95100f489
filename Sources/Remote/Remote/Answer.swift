// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// One response of an agent, as far as it can be understood.
package struct Answer: Hashable, Sendable {
    /// The command's id; nil where the agent could not read it.
    package let id: String?
    package let state: CommandResponse.State
    /// Why it was refused or failed, for programs: also a reason that this version does not know.
    package let reason: String?
    /// The same for people.
    package let message: String?
    /// While it runs: which of how many steps, and what is done in it.
    package let progress: String?
    /// Who signed the command; nil for an unsigned one.
    package let issuer: String?
    /// Whether the agent had answered this id before.
    package let isRepeat: Bool
    package let time: Timestamp?
    package let result: JSON
    /// All that was said.
    package let json: JSON

    /// Nil where that is no response.
    package init?(_ payload: [UInt8]) {
        let json = JSON(payload: payload)
        guard let state = json["state"].string.flatMap(CommandResponse.State.init) else { return nil }
        self.id = json["id"].string
        self.state = state
        self.reason = json["reason"].string
        self.message = json["message"].string
        let progress = json["progress"]
        if case .integer(let step) = progress["step"], case .integer(let steps) = progress["steps"] {
            self.progress = "\(step) of \(steps): \(progress["doing"].string ?? "")"
        } else {
            self.progress = nil
        }
        self.issuer = json["issuer"].string
        self.isRepeat = json["repeat"].bool == true
        self.time = json["time"].time
        self.result = json["result"]
        self.json = json
    }

    /// What to do about a refusal, where the agent does not say it; nil for what it says itself.
    package var advice: String? {
        switch self.reason {
        case _ where self.state != .refused: nil
        case CommandResponse.Reason.unsigned.rawValue: "sign with --signing-key, remote key makes one"
        case "snapshot_incomplete":
            "try it again, or give up what could not be read: remote clear --accept-incomplete clears all the same"
        default: nil
        }
    }
}
