// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// A response of an agent, as far as this version can decode it.
package struct ReceivedResponse: Hashable, Sendable {
    /// The id of the command; nil if the agent could not read it.
    package let id: String?
    package let state: CommandResponse.State
    /// The reason of a refusal or failure for programs, which this version may not know.
    package let reason: String?
    /// The same for the user.
    package let message: String?
    /// The time after which the same id may be sent again, or brings the result; nil if the agent does not tell it.
    package let retryAfter: Duration?
    /// The progress of a running command: the step, the number of steps, and the activity.
    package let progress: String?
    /// The signer of the command; nil if it was unsigned or not verified.
    package let issuer: String?
    /// Whether the agent repeats the response to an earlier command with this id.
    package let isRepeat: Bool
    package let time: Timestamp?
    package let result: JSON
    /// The whole payload.
    package let json: JSON

    /// Decodes a payload; nil if it is no response.
    package init?(_ payload: [UInt8]) {
        let json = JSON(payload: payload)
        guard let state = json["state"].string.flatMap(CommandResponse.State.init) else { return nil }
        self.id = json["id"].string
        self.state = state
        self.reason = json["reason"].string
        self.message = json["message"].string
        self.retryAfter = json["retry_after"].double.flatMap { Self.retryRange ~= $0 ? .seconds($0) : nil }
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

    /// The valid seconds of ``retryAfter``; no budget needs more than a day.
    private static let retryRange = 1.0...86_400

    /// Whether the command succeeded, and the agent has no room for its result now.
    package var isResultLeftOut: Bool {
        self.state == .succeeded && self.reason == CommandResponse.Reason.resultLeftOut.rawValue
    }

    /// A remedy that the message of the agent lacks.
    package var advice: String? {
        switch self.reason {
        case CommandResponse.Reason.resultLeftOut.rawValue, CommandResponse.Reason.rateLimited.rawValue:
            self.issuer == nil ? "obd-remote key creates a key, and --signing-key signs with it" : nil
        case CommandResponse.Reason.noAnswer.rawValue where self.state == .failed:
            "Try: with the ignition on, or another parameter"
        case _ where self.state != .refused: nil
        case CommandResponse.Reason.unsigned.rawValue: "Try: --signing-key FILE (obd-remote key creates a key)"
        case "snapshot_incomplete":
            "Try: the command again, or obd-remote clear --accept-incomplete to erase unread data too"
        default: nil
        }
    }
}
