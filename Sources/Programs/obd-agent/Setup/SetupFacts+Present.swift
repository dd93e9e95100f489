// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration

/// The comparison of answers with the present configuration.
extension SetupFacts {
    /// Whether an answer means the present broker: the same host and port, whatever the spelling of the URL.
    ///
    /// A local broker is the present one once `setup` has set it up.
    func isPresent(_ broker: SetupAnswers.Broker?) -> Bool {
        guard let present = self.present else { return false }
        func isOnly(_ url: String) -> Bool {
            let server = try? Configuration.Server(url: url)
            return [server].compactMap(\.self).map(Self.lowercased) == present.mqtt.servers.map(Self.lowercased)
        }
        switch broker {
        case nil: return true
        case .absent: return present.mqtt.servers.isEmpty
        case .url(let url): return isOnly(url)
        case .local:
            let files = [self.path(SetupPlan.brokerConfiguration), self.path(SetupPlan.brokerPasswords)]
            let isKnown = present.mqtt.username != nil && present.mqtt.passwordFile.map(self.existing) == true
            return isOnly(SetupPlan.brokerURL) && isKnown && files.allSatisfy(self.existing)
        }
    }

    /// Whether the agent will have a broker, so that the questions about it make sense.
    func hasBroker(_ answers: SetupAnswers) -> Bool {
        switch answers.broker {
        case .local, .url: true
        case .absent: false
        case nil: self.present?.mqtt.servers.isEmpty != true
        }
    }

    /// Whether the present password stays unless another one is typed, because broker and user are as now.
    func keepsPassword(_ answers: SetupAnswers) -> Bool {
        guard self.isPresent(answers.broker), let user = self.present?.mqtt.username else { return false }
        return switch answers.user {
        case .unchanged: true
        case .none: false
        case .named(let name): name == user
        }
    }

    /// Returns the answers without those that the present configuration has already.
    func changes(of answers: SetupAnswers) -> SetupAnswers {
        guard let present = self.present else { return answers }
        var changes = answers
        if let adapter = answers.adapter, (try? AdapterAddress(adapter)) == present.adapter.address {
            changes.adapter = nil
        }
        if answers.name == present.vehicle.name { changes.name = nil }
        guard self.isPresent(answers.broker) else { return changes }
        switch answers.broker {
        case .url, .absent: changes.broker = nil
        case .local, nil: break
        }
        if self.keepsPassword(answers), answers.password != "" { changes.user = .unchanged }
        if answers.user == .none, present.mqtt.username == nil { changes.user = .unchanged }
        // The local broker has this user already.
        if answers.broker == .local, changes.user == .unchanged, answers.password == nil { changes.broker = nil }
        return changes
    }

    private static func lowercased(_ server: Configuration.Server) -> Configuration.Server {
        var result = server
        result.host = server.host.lowercased()
        return result
    }
}
