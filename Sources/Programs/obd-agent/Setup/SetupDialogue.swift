// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration

/// The questions of `setup`, one after the other.
///
/// Options of the command line replace their questions. Each input returns the next step; a wrong answer returns its
/// question again, with the reason.
struct SetupDialogue: Sendable {
    enum Step: Hashable, Sendable {
        case ask(Question)
        /// Scan for adapters over Bluetooth LE; ``scanned(_:)`` gets the result.
        case scan
        case finished(SetupAnswers)
    }

    struct Question: Hashable, Sendable {
        /// The number of the question, from 1 to 5.
        var number: Int
        /// The lines to show: what was wrong with the last answer, the question, the possible answers.
        var lines: [String]
        /// Whether the answer is not shown.
        var isHidden = false
    }

    /// The result of a scan: the adapters that answered, the nearest one first.
    struct Scan: Hashable, Sendable {
        var adapters: [FoundAdapter]
        /// The reason why there are none, with the next step.
        var problem: String?
    }

    struct FoundAdapter: Hashable, Sendable {
        var address: String
        var description: String
    }

    private enum Place: Int {
        case adapter = 1, broker, user, password, name
    }

    private let facts: SetupFacts
    private var given: SetupAnswers
    private var answers: SetupAnswers
    private var place = Place.adapter
    private var found: [FoundAdapter] = []
    /// Whether the broker has refused the user or the password, which are then asked for again.
    private var isRefused = false

    /// - Parameter given: the answers that the command line has.
    init(_ facts: SetupFacts, given: SetupAnswers) {
        self.facts = facts
        self.given = given
        self.answers = given
    }

    /// The options without which nothing can be written, if nobody is there to be asked.
    var missingOptions: [String] {
        var missing: [String] = []
        if self.answers.adapter == nil, self.facts.present == nil { missing.append("--adapter ADDRESS") }
        if self.answers.broker == nil, self.facts.present == nil {
            missing.append("--broker URL, --local-broker or --no-broker")
        }
        if case .named = self.answers.user, self.answers.password == nil, self.answers.broker != .local,
            !self.facts.keepsPassword(self.answers)
        {
            missing.append("--password-file FILE")
        }
        return missing
    }

    // MARK: - Inputs

    mutating func begin() -> Step { self.step() }

    mutating func answered(_ text: String) -> Step {
        let isPassword = self.place == .password
        let text = isPassword ? text : Self.trimmed(text)
        switch self.place {
        case .adapter: return self.answeredAdapter(text)
        case .broker: return self.answeredBroker(text)
        case .user:
            if text.isEmpty {
                self.answers.user = self.emptyUser
            } else if let problem = SetupAnswers.problem(ofUser: text, isLocal: self.isLocal) {
                return self.step(problem)
            } else {
                self.answers.user = .named(text)
            }
        case .password:
            if let problem = SetupAnswers.problem(ofPassword: text) { return self.step(problem) }
            let isOpen = text.isEmpty && (self.isLocal || self.facts.keepsPassword(self.answers))
            self.answers.password = isOpen ? nil : text
        case .name:
            if !text.isEmpty {
                if let problem = SetupAnswers.problem(ofName: text) { return self.step(problem) }
                self.answers.name = text
            }
        }
        return self.advance()
    }

    mutating func scanned(_ scan: Scan) -> Step {
        self.found = scan.adapters
        return self.step(scan.adapters.isEmpty ? scan.problem ?? "no adapter answers" : nil)
    }

    /// Asks for the user and the password again, even if the command line has them, because the broker refused them.
    mutating func refused(_ reason: String) -> Step {
        (self.given.user, self.given.password, self.isRefused) = (.unchanged, nil, true)
        self.place = .user
        return self.step(reason)
    }

    private mutating func answeredAdapter(_ text: String) -> Step {
        switch text.lowercased() {
        case "" where self.found.isEmpty && self.facts.present != nil: return self.advance()
        case "" where self.found.isEmpty, "scan": return .scan
        case "": self.answers.adapter = self.found[0].address
        default:
            let address = Int(text).flatMap { self.found.indices.contains($0 - 1) ? self.found[$0 - 1].address : nil }
            if address == nil, let problem = SetupAnswers.problem(ofAdapter: text) { return self.step(problem) }
            self.answers.adapter = address ?? text
        }
        return self.advance()
    }

    private mutating func answeredBroker(_ text: String) -> Step {
        switch text.lowercased() {
        case "" where self.facts.present != nil: break
        case "": return self.step("no answer. Try: a URL, local, or none")
        case "none": self.answers.broker = .absent
        case "local":
            if let problem = self.facts.mosquitto.problem { return self.step("\(problem.text) Try: \(problem.next)") }
            self.answers.broker = .local
        default:
            if let problem = SetupAnswers.problem(ofBroker: text) { return self.step(problem) }
            self.answers.broker = .url(text)
        }
        return self.advance()
    }

    // MARK: - Questions

    private var isLocal: Bool { self.answers.broker == .local }

    /// The user that an empty answer means.
    private var emptyUser: SetupAnswers.User {
        if self.isRefused { return self.answers.user }
        if self.facts.isPresent(self.answers.broker) { return .unchanged }
        return self.isLocal ? .named(SetupAnswers.localUser) : .none
    }

    /// The user that an empty answer means, in words.
    private var emptyUserText: String {
        switch self.emptyUser {
        case .unchanged: self.facts.present?.mqtt.username.map { "\($0), as now" } ?? "none"
        case .none: "none"
        case .named(let name): name
        }
    }

    /// The password that an empty answer means, in words.
    private var emptyPasswordText: String {
        if self.facts.keepsPassword(self.answers) { return "as now" }
        return self.isLocal ? "setup makes one" : "none"
    }

    private mutating func advance() -> Step {
        guard let next = Place(rawValue: self.place.rawValue + 1) else { return .finished(self.completed) }
        self.place = next
        return self.step()
    }

    /// Returns the step of the present place; goes on to the next question if the command line has its answer.
    private mutating func step(_ problem: String? = nil) -> Step {
        self.isAnswered ? self.advance() : .ask(self.question(problem))
    }

    /// Whether the present question is superfluous.
    private var isAnswered: Bool {
        switch self.place {
        case .adapter: self.given.adapter != nil
        case .broker: self.given.broker != nil
        case .user where !self.facts.hasBroker(self.answers): true
        case .password where !self.facts.hasBroker(self.answers): true
        case .user: self.given.user != .unchanged
        case .password:
            switch self.answers.user {
            case .named: self.given.password != nil
            case .none: true
            // Whoever keeps the user may still have another password.
            case .unchanged: self.given.password != nil || !self.facts.keepsPassword(self.answers)
            }
        case .name: self.given.name != nil || self.isRefused
        }
    }

    private func question(_ problem: String?) -> Question {
        let present = self.facts.present
        func keep(_ value: String?) -> [String] { value.map { ["Enter: \($0), as now"] } ?? [] }
        let lines: [String]
        switch self.place {
        case .adapter where !self.found.isEmpty:
            lines =
                ["Which adapter?"] + self.found.enumerated().map { "  \($0.offset + 1)  \($0.element.description)" }
                + ["A number, \"scan\" to look again, or an address. Enter: 1"]
        case .adapter:
            let address = present.map { "\($0.adapter.address)" }
            lines =
                ["Which adapter?"]
                + (address == nil ? ["Enter: look for it over Bluetooth LE"] : keep(address) + ["scan: look for it"])
                + ["or an address: ble (any in reach), rfcomm:AA:BB:CC:DD:EE:FF, tcp:HOST:PORT, serial:/dev/ttyUSB0"]
        case .broker:
            lines =
                ["Which broker?"]
                + keep(present.map { Self.text(of: $0.mqtt.servers) })
                + [
                    "local: a Mosquitto on this machine, for its own programs; setup configures it",
                    "none: all data stays on this machine; \"obd-agent watch\" shows it, \"obd-agent export\" writes it",
                    "or a URL: mqtts://broker.example, or in a private network mqtt://homeassistant.local:1883",
                ]
        case .user: lines = ["Which user at the broker?", "Enter: \(self.emptyUserText)"]
        case .password: lines = ["Which password? It is not shown.", "Enter: \(self.emptyPasswordText)"]
        case .name:
            lines =
                ["Which name does the vehicle have in its topics, such as van-12?"]
                + (present?.vehicle.name == nil ? ["Enter: its VIN"] : keep(present?.vehicle.name))
        }
        let number = self.place.rawValue
        let shown = problem.map { ["That did not work: \($0)"] } ?? []
        let first = "\(number)/5  \(lines[0])"
        return Question(
            number: number,
            lines: shown + [first] + lines.dropFirst().map { "     \($0)" },
            isHidden: self.place == .password
        )
    }

    private static func text(of servers: [Configuration.Server]) -> String {
        servers.isEmpty ? "none" : servers.map(\.description).joined(separator: ", ")
    }

    /// The answers, with the user of a local broker if the command line gave none.
    private var completed: SetupAnswers {
        var answers = self.answers
        if self.isLocal, answers.user == .unchanged, !self.facts.isPresent(.local) {
            answers.user = .named(SetupAnswers.localUser)
        }
        return answers
    }

    /// Returns the answers without a question; ``missingOptions`` must be empty.
    func unasked() -> SetupAnswers { self.completed }

    private static func trimmed(_ text: String) -> String {
        let start = text.drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
