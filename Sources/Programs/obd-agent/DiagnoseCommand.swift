// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Configuration
import Diagnosis
import EventLoop
import Glibc
import Store

/// The names of the files in an archive.
enum DiagnosisFile {
    static let transcript = "transcript.txt"
    static let transcriptBefore = "transcript-before.txt"
}

struct DiagnoseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose",
        abstract: "Collects what helps to find a bug in one archive, for a bug report.",
        discussion: """
            The archive has the last dialogue with the adapter, the last status, the configuration without secrets, \
            versions, and the journal. It contains the VIN and more personal data, unless --redact replaces them. \
            README.txt in it names what was replaced and what remains. Look into the archive before you publish it. \
            The agent need not run or be configured: the command prints what it could not collect.

            To read the archive:
              tar xf obd-agent-diagnosis.tar
              obd-agent replay obd-agent-diagnosis.tar
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(
        name: .shortAndLong,
        help: "The file of the archive, a regular one: no link, device or FIFO (-: standard output).",
        completion: .file()
    )
    var output = "obd-agent-diagnosis.tar"

    @Option(
        name: .long,
        help: "The directory of the agent's files (default: that of the service).",
        completion: .directory
    )
    var directory: String?

    @Flag(name: .long, help: "Replace personal data. README.txt in the archive counts the replacements.")
    var redact = false

    func run() throws {
        // Root opens the archive and reads the journal. All else is read as the agent's user.
        let isFile = OutputFile.isFile(self.output)
        guard isFile || isatty(1) == 0 else {
            throw CommandFailure(.usage, "an archive is not for a terminal", next: "--output FILE, or a pipe.")
        }
        let output = try OutputFile(self.output, replacing: true, inPlace: true)
        let journal = Self.output(
            of: "journalctl",
            "--unit=obd-agent",
            "--lines=2000",
            "--no-pager",
            "--no-hostname",
            "--output=short-precise"
        )
        do throws(RootPrivileges.NotDropped) {
            for directory in self.directories { try RootPrivileges.drop(toOwnerOf: directory) }
        } catch {
            throw CommandFailure(.noPermission, "\(error)")
        }
        var archive = DiagnosisArchive(words: self.redact ? self.words() : nil)
        archive.add(DiagnosisFile.transcript, transcript: self.transcript(KeptFile.segments))
        archive.add(DiagnosisFile.transcriptBefore, transcript: self.transcript(KeptFile.segmentsBefore))
        archive.add(KeptFile.status, self.kept(KeptFile.status))
        self.addConfiguration(to: &archive)
        archive.add("versions.txt", Self.versions)
        archive.add("journal.txt", journal)
        // Standard output may have the archive itself.
        let print = isFile ? Console.print : Console.printError
        for line in archive.lines { print(line) }
        try output.write(archive.bytes)
        try output.close()
        guard isFile else { return }
        Console.print("Written to \(self.output). Look into it before you publish it: tar xf \(self.output)")
    }

    /// The longest file in the archive, in bytes.
    private static let limit = 1024 * 1024

    private var directories: [String] { self.directory.map { [$0] } ?? RuntimeDirectory.candidates }

    /// Returns a file of the agent from the first directory that has it.
    private func kept(_ name: String) -> String? {
        self.directories.lazy.compactMap { TextFile.bytes(of: name, in: $0, limit: Self.limit) }.first
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private func transcript(_ segments: [String]) -> String? {
        Transcript.joined(segments.compactMap { self.kept($0) })
    }

    /// Adds the main file, and those of the directory that is read after it.
    private func addConfiguration(to archive: inout DiagnosisArchive) {
        let path = self.options.config
        if self.redact, (try? self.options.read()) == nil {
            let reason = "it cannot be read or has mistakes, so its personal words are unknown"
            return archive.leaveOut("agent.toml", reason + "; the journal may have names that only this file has")
        }
        let main = (try? SourceFile.contents(of: path)).map { String(decoding: $0, as: UTF8.self) }
        archive.add("agent.toml", configuration: main)
        let directory = path + ".d"
        guard TextFile.isDirectory(directory), let files = try? SourceFile.tomlFiles(at: directory) else { return }
        for file in files {
            let name = file.name.split(separator: "/").last.map(String.init) ?? ""
            archive.add("agent.toml.d/\(name)", configuration: String(decoding: file.bytes, as: UTF8.self))
        }
    }

    /// Returns the words that are personal: of the configuration, the database, the last status, and this machine.
    private func words() -> PersonalWords {
        var words = PersonalWords()
        let configuration = try? self.options.read()
        if let configuration { words.add(configuration) }
        let places = [self.directory, configuration?.store.directory, StateDirectory.own].compactMap(\.self)
        for recording in places.compactMap({ try? Recording(in: $0) }) { words.add(recording) }
        if let status = self.kept(KeptFile.status) { words.add(status: status) }
        words.add(TextFile.read("/etc/hostname") ?? "", as: .machine)
        let machine = MachineIdentity()
        for agent in [machine] + places.map(machine.agent(in:)) { words.add(agent.agent, as: .machine) }
        return words
    }

    private static var versions: String {
        [
            "obd-agent \(AgentVersion.current)",
            TextFile.read("/proc/version"),
            TextFile.read("/etc/os-release"),
            Self.output(of: "dpkg-query", "--show", "libmosquitto1", "libsystemd0", "systemd", "bluez", "mosquitto"),
            Self.output(of: "systemctl", "--version"),
            Self.output(of: "bluetoothctl", "--version"),
        ].compactMap(\.self).joined(separator: "\n\n") + "\n"
    }

    /// Returns the output of a program, with its errors; nil if it cannot be run, fails, or takes too long.
    private static func output(of words: String...) -> String? {
        let outcome = ChildProgram.run(words, seconds: 10, limit: Self.limit)
        return outcome?.status == 0 ? outcome?.output : nil
    }
}
