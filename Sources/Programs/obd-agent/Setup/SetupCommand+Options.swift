// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import EventLoop

/// The answers that the command line has.
extension SetupCommand {
    /// Refuses options that contradict each other, and answers that are none.
    func checkOptions() throws(CommandFailure) {
        if self.localBroker {
            if self.broker != nil {
                throw Self.failure("--local-broker and --broker exclude each other. Try: one of them")
            }
            if self.root != nil {
                throw Self.failure(
                    "--local-broker and --root exclude each other, because that Mosquitto does not run. Try: --broker"
                )
            }
            if self.username == "" {
                throw Self.failure("--local-broker needs a user. Try: without --username, for obd-agent")
            }
        }
        if self.noBroker {
            let others = [
                ("--local-broker", self.localBroker), ("--broker", self.broker != nil),
                ("--username", self.username != nil), ("--password-file", self.passwordFile != nil),
            ]
            for (option, isGiven) in others where isGiven {
                throw Self.failure("--no-broker and \(option) exclude each other. Try: one of them")
            }
        }
        if let root = self.root, !root.hasPrefix("/") {
            throw Self.failure("--root: \"\(root)\" is not an absolute path. Try: a path that begins with /")
        }
        if self.passwordFile == "-", !self.yes, !self.dryRun {
            throw Self.failure("--password-file - needs --yes: answers come from standard input, too. Try: --yes")
        }
        let problems = [
            ("adapter", self.adapter.flatMap(SetupAnswers.problem(ofAdapter:))),
            ("broker", self.broker.flatMap(SetupAnswers.problem(ofBroker:))),
            ("username", self.username.flatMap { SetupAnswers.problem(ofUser: $0, isLocal: self.localBroker) }),
            ("name", self.name.flatMap(SetupAnswers.problem(ofName:))),
        ]
        for (option, problem) in problems {
            if let problem { throw Self.failure("--\(option): \(problem)") }
        }
    }

    /// Returns the answers of the command line.
    func given(_ facts: SetupFacts) throws(CommandFailure) -> SetupAnswers {
        var answers = SetupAnswers(adapter: self.adapter, name: self.name)
        answers.broker = self.localBroker ? .local : self.noBroker ? .absent : self.broker.map { .url($0) }
        answers.user = self.username.map { $0.isEmpty ? .none : .named($0) } ?? .unchanged
        guard let file = self.passwordFile else { return answers }
        let hasUser = if case .named = answers.user { true } else { self.localBroker || facts.keepsPassword(answers) }
        guard hasUser else { throw Self.failure("--password-file needs a user. Try: --username") }
        guard let password = TextFile.read(file == "-" ? "/dev/stdin" : file), !password.isEmpty else {
            throw CommandFailure(
                .noInput,
                "--password-file: \(file) can't be read, or is empty",
                next: "a file whose only line is the password."
            )
        }
        if let problem = SetupAnswers.problem(ofPassword: password) {
            throw Self.failure("--password-file: \(problem)")
        }
        answers.password = password
        return answers
    }

    /// Returns the failure of an option, whose next step gets a line of its own.
    private static func failure(_ text: String) -> CommandFailure {
        guard let mark = text.firstRange(of: ". Try: ") else { return CommandFailure(.usage, text) }
        return CommandFailure(.usage, String(text[..<mark.lowerBound]), next: String(text[mark.upperBound...]))
    }
}
