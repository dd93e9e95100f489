// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Diagnosis
import EventLoop

/// The names of the files in an archive.
enum DiagnosisFile {
    static let transcript = "transcript.txt"
    static let transcriptBefore = "transcript-before.txt"
}

struct DiagnoseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose",
        abstract: "Puts what helps to find a mistake into one file, to be attached to a bug report.",
        discussion: """
            The agent need not run, nor be configured: what can't be had is left out, and said. In the archive are the \
            last of the dialogue with the adapter, the last status, the configuration without secrets, versions, and \
            the journal. It tells the vehicle's VIN unless --redact takes it out; look into it before you give it away.

            To read the archive:
              tar xf obd-agent-diagnosis.tar
              obd-agent replay obd-agent-diagnosis.tar
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(name: .shortAndLong, help: "Where to write the archive.")
    var output = "obd-agent-diagnosis.tar"

    @Option(name: .long, help: "Where the agent keeps its files; without it, where a service does.")
    var directory: String?

    @Flag(name: .long, help: "Cross the VIN out, wherever it is known to be.")
    var redact = false

    func run() throws {
        var archive = TarArchive(time: KernelClock.now.millisecondsSince1970 / 1000)
        var files: [(name: String, text: String?)] = []
        for (name, segments) in [
            (DiagnosisFile.transcript, KeptFile.segments), (DiagnosisFile.transcriptBefore, KeptFile.segmentsBefore),
        ] {
            var text = Transcript.joined(segments.compactMap { self.kept($0) })
            if self.redact, let whole = text {
                text = (try? Transcript(whole)).map { Redaction.redacted($0).text }
            }
            files.append((name, text))
        }
        files.append((KeptFile.status, self.kept(KeptFile.status)))
        let configuration = TextFile.bytes(of: self.options.config, limit: Self.limit)
        files.append(("agent.toml", configuration.map { SecretMask.masked(String(decoding: $0, as: UTF8.self)) }))
        files.append(("versions.txt", Self.versions))
        files.append(
            (
                "journal.txt",
                ProgramOutput.of("journalctl --unit=obd-agent --lines=2000 --no-pager --output=short-precise")
            )
        )
        for (name, text) in files {
            guard let text, !text.isEmpty else {
                Console.print("left out  \(name): \(Self.reason(name))")
                continue
            }
            let isDialogue = name == DiagnosisFile.transcript || name == DiagnosisFile.transcriptBefore
            let shown = self.redact && !isDialogue ? Redaction.redacted(text) : text
            archive.append(Array(shown.utf8), as: name)
            Console.print("added     \(name), \(shown.utf8.count) bytes")
        }
        guard TextFile.write(archive.bytes, to: self.output, how: .replacing) else {
            throw CommandFailure(.cannotCreate, "\(self.output) can't be written")
        }
        Console.print("Written to \(self.output). Look into it before you give it away: tar xf \(self.output)")
    }

    /// The longest file that is put in, in bytes.
    private static let limit = 1024 * 1024

    /// A file that the agent keeps, where it is found first.
    private func kept(_ name: String) -> String? {
        let directories = self.directory.map { [$0] } ?? RuntimeDirectory.candidates
        return directories.lazy.compactMap { TextFile.bytes(of: "\($0)/\(name)", limit: Self.limit) }.first
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private static func reason(_ name: String) -> String {
        switch name {
        case "agent.toml": "there is none, or it can't be read"
        case "journal.txt": "there is none, or it can't be read; root and the group systemd-journal can"
        default: "the agent has not left one, or it can't be read"
        }
    }

    private static var versions: String {
        [
            "obd-agent \(AgentVersion.current)",
            TextFile.read("/proc/version"),
            TextFile.read("/etc/os-release"),
            ProgramOutput.of("dpkg-query --show libmosquitto1 libsystemd0 systemd bluez mosquitto"),
            ProgramOutput.of("systemctl --version"),
            ProgramOutput.of("bluetoothctl --version"),
        ].compactMap(\.self).joined(separator: "\n\n") + "\n"
    }
}
