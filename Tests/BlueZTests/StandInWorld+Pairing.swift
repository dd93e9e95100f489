// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink

@testable import Systemd

// Pairing agents, and pairing with their answers.
extension StandInWorld {
    func serveAgent(_ call: OpenCall) {
        let sender = call.call.sender
        switch call.call.member {
        case "RegisterAgent":
            guard self.agents[sender] == nil else { return call.fail("AlreadyExists", "Already Exists") }
            self.agents[sender] = Agent(
                sender: sender,
                path: call.call.arguments[0].text ?? "",
                capability: call.call.arguments[1].text ?? ""
            )
            call.answer()
        default:
            guard self.agents.removeValue(forKey: sender) != nil else { return call.fail("DoesNotExist") }
            call.answer()
        }
    }

    func pair(_ call: OpenCall, _ path: String) {
        guard let device = self.devices[path], !self.paired.contains(path) else { return call.fail("AlreadyExists") }
        guard let agent = self.agents[call.call.sender] else { return call.fail("AuthenticationFailed", "no agent") }
        let question: (member: String, [BusValue])
        switch device.pairing {
        case .open, .impossible:
            return call.fail("AuthenticationFailed", "Authentication Failed")
        case .justWorks:
            question = ("RequestAuthorization", [.objectPath(path)])
        case .passkey:
            guard agent.capability.hasPrefix("Keyboard") else {
                return call.fail("AuthenticationFailed", "no keyboard")
            }
            question = ("RequestPasskey", [.objectPath(path)])
        }
        let asking = MethodCall(agent.sender, agent.path, "org.bluez.Agent1", question.member, question.1)
        Task {
            let answer = try? await self.bus.call(asking)
            self.bus.loop.perform(
                {
                    let isRight =
                        switch device.pairing {
                        case .passkey(let passkey): answer == [.uint32(passkey)]
                        default: answer == []
                        }
                    guard isRight else { return call.fail("AuthenticationFailed", "Authentication Failed") }
                    self.paired.insert(path)
                    self.change(path, BlueZInterface.device, ["Paired": .boolean(true)])
                    call.answer()
                },
                otherwise: {}
            )
        }
    }
}
