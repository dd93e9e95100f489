// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import EventLoop
import Glibc

/// The shell of a plan: files, links, programs.
enum SetupPerformer {
    /// The longest time that a program may take; a service waits for its start.
    private static let seconds: Int32 = 120

    /// Performs steps until one fails.
    static func perform(_ steps: [SetupStep]) throws(CommandFailure) {
        // Programs that write secrets do so for root alone; files and folders of ours get their modes by themselves.
        umask(0o077)
        for step in steps {
            for line in step.lines.prefix(2) where !line.hasPrefix(" ") { Console.printError(line) }
            switch step {
            case .makeFolder(let path, let mode): try Self.makeFolder(path, mode)
            case .write(let file): try Self.write(file)
            case .link(let path, let target):
                guard unsafe symlink(target, path) == 0 || errno == EEXIST else { throw Self.failure(path) }
            case .run(let words, let input): try Self.run(words, input)
            }
        }
    }

    /// Performs the steps for the local broker; a failure leaves the broker as it was.
    static func performBroker(_ plan: SetupPlan) throws(CommandFailure) {
        do {
            try Self.perform(plan.broker)
        } catch {
            for file in plan.brokerFiles { TextFile.remove(file) }
            try? Self.perform(plan.brokerUndo)
            throw CommandFailure(
                error.code,
                lines: ["Mosquitto was not set up, and its configuration is as it was before:"]
                    + error.description.split(separator: "\n").map(String.init)
            )
        }
    }

    private static func makeFolder(_ path: String, _ mode: UInt32) throws(CommandFailure) {
        guard !TextFile.isDirectory(path) else { return }
        // The folders above it are everybody's, such as /etc.
        let parent = "/" + path.split(separator: "/").dropLast().joined(separator: "/")
        if parent != "/" { try Self.makeFolder(parent, 0o755) }
        // The mode of a folder is narrowed by the process's mask.
        guard unsafe mkdir(path, 0o700) == 0, unsafe chmod(path, mode) == 0 else { throw Self.failure(path) }
    }

    /// Writes a file so that readers see the old or the new one; the old one stays under the name of its copy.
    private static func write(_ file: SetupFile) throws(CommandFailure) {
        do throws(FileProblem) {
            // A file that the plan did not know is not replaced, because it would have no copy.
            let draft = try FileDraft(of: file.path, replacing: file.isReplaced, mode: file.mode)
            if !file.isReplaced, fchmod(draft.descriptor, file.mode) != 0 { throw .system(errno) }
            try draft.write(Array(file.text.utf8))
            // A second name for the present file is a copy with its mode, its owner and its time.
            if let copy = file.copy, unsafe link(file.path, copy) != 0 { throw .system(errno) }
            try draft.publish(isFlushed: true)
        } catch {
            throw Self.failure(file.path, error)
        }
    }

    private static func run(_ words: [String], _ input: String?) throws(CommandFailure) {
        let name = words.joined(separator: " ")
        guard let outcome = ChildProgram.run(words, input: input, seconds: Self.seconds) else {
            throw CommandFailure(
                .unavailable,
                "\(name): the program is not there",
                next: "install it, then setup again."
            )
        }
        guard outcome.status != 0 else { return }
        let reason = outcome.status.map { "ended with \($0)" } ?? "did not end within \(Self.seconds) s"
        let said = outcome.output.split(separator: "\n").suffix(5).map { "  \($0)" }
        throw CommandFailure(.unavailable, lines: ["\(name) \(reason)"] + said)
    }

    private static func failure(_ path: String, _ problem: FileProblem = .system(errno)) -> CommandFailure {
        let isForbidden = [.system(EACCES), .system(EPERM)].contains(problem)
        let next = isForbidden ? "sudo obd-agent setup" : "move it away, or free space there, then setup again."
        return CommandFailure(
            isForbidden ? .noPermission : .cannotCreate,
            "\(path) can't be written: \(problem)",
            next: next
        )
    }
}
