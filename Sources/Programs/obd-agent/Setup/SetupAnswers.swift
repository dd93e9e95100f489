// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration

/// The answers to the questions of `setup`; nil and `.unchanged` keep the setting of the present configuration.
struct SetupAnswers: Hashable, Sendable {
    enum Broker: Hashable, Sendable {
        /// A Mosquitto on this machine, which `setup` configures.
        case local
        /// No broker: all data stays on this machine.
        case absent
        case url(String)
    }

    enum User: Hashable, Sendable {
        case unchanged, none
        case named(String)
    }

    var adapter: String?
    var broker: Broker?
    var user = User.unchanged
    /// The password; empty for a user without one.
    ///
    /// nil keeps that of the present user; a local broker's new user then gets one that `setup` makes.
    var password: String?
    var name: String?

    /// The user for a local broker, unless another name is given.
    static let localUser = "obd-agent"

    // MARK: - Checks of one answer

    /// Returns the reason why a text is no adapter's address; nil if it is one.
    static func problem(ofAdapter text: String) -> String? {
        do throws(ValueError) {
            _ = try AdapterAddress(text)
            return nil
        } catch {
            return error.description + (error.suggestion.map { "; did you mean \($0)?" } ?? "")
        }
    }

    /// Returns the reason why a text is no URL of a broker, or of one that needs TLS; nil if it is one.
    static func problem(ofBroker text: String) -> String? {
        do throws(ValueError) {
            let server = try Configuration.Server(url: text)
            guard server.tls || server.isLocal else { throw .plaintext("\(server)") }
            return nil
        } catch {
            return error.description
        }
    }

    /// Returns the reason why a text is no user's name; nil if it is one.
    ///
    /// - Parameter isLocal: whether the name goes into a password file, whose columns a colon separates.
    static func problem(ofUser text: String, isLocal: Bool) -> String? {
        if Self.hasControlCharacter(text) { return "a user name has no control characters" }
        guard text.utf8.count <= 128 else { return "a user name has at most 128 bytes" }
        let isBad = isLocal && (text.contains(":") || text.contains(" "))
        return isBad ? "the user name of a local broker has no colon and no space" : nil
    }

    /// Returns the reason why a text cannot be a password in a file; nil if it can.
    static func problem(ofPassword text: String) -> String? {
        if Self.hasControlCharacter(text) { return "a password has no control characters" }
        guard text.first?.isWhitespace != true, text.last?.isWhitespace != true else {
            return "a password does not begin or end with a space"
        }
        return text.utf8.count <= 1024 ? nil : "a password has at most 1024 bytes"
    }

    /// Returns the reason why a text cannot be the name of a vehicle; nil if it can.
    static func problem(ofName text: String) -> String? {
        do throws(ValueError) {
            _ = try Configuration.Vehicle.level(text)
            guard text.hasPrefix("agent-") else { return nil }
            return "names that begin with agent- are those of agents that do not know their vehicle yet, and lists "
                + "leave them out. Try: another name, such as van-12"
        } catch {
            return error.description
        }
    }

    private static func hasControlCharacter(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
