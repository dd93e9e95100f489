// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Archive
import ArgumentParser
import Base
import CommandLine
import Contract
import Diagnosis
import ELM327
import EventLoop
import OBD2
import Session

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Decodes a recorded dialogue, and prints its meaning. Needs no vehicle.",
        discussion: """
            The file is an archive of obd-agent diagnose, or a transcript from one. Each line begins with the seconds \
            since the machine's boot.

            If this version would have continued the dialogue differently than the version that recorded it, the \
            command says so, and the exit code is 65.
            """
    )

    @Argument(help: "The archive or the transcript.", completion: .file())
    var file: String

    @Flag(name: .long, help: "Print a JSON object per line.")
    var json = false

    func run() async throws {
        let limit = Transcript.limit
        let inArchive = ArchiveReader.bytes(of: DiagnosisFile.transcript, in: self.file, limit: limit)
        guard let text = inArchive ?? TextFile.bytes(of: self.file, limit: limit) else {
            throw CommandFailure(
                .noInput,
                "\(self.file) can't be read, or is longer than \(limit) bytes",
                next: "an archive of obd-agent diagnose, or the transcript in it."
            )
        }
        let transcript: Transcript
        do {
            transcript = try Transcript(String(decoding: text, as: UTF8.self))
        } catch {
            throw CommandFailure(
                .noInput,
                "\(self.file): \(error)",
                next: "an archive of obd-agent diagnose, or the transcript in it."
            )
        }
        var hasDiverged = false
        let asJSON = self.json
        await Replay.run(transcript) { time, output in
            if case .diverged = output { hasDiverged = true }
            if asJSON {
                for object in Self.objects(output, at: time) { JSONOutput.printLine(object) }
            } else {
                for line in output.lines(at: time) { Console.print(line) }
            }
        }
        if hasDiverged { throw ExitCode(ExitStatus.dataError.rawValue) }
    }

    /// Returns a sample as an object of its parts, and anything else as its text.
    private static func objects(_ output: Replay.Output, at time: MonotonicTime) -> [JSON] {
        let stamp = JSON.number(Double(time.sinceBoot.milliseconds) / 1000)
        guard case .session(.samples(let samples)) = output else {
            return output.lines(at: time).map { line in
                ["time": stamp, "text": .string(line.split(separator: " ", maxSplits: 1).dropFirst().joined())]
            }
        }
        return samples.map { sample in
            [
                "time": stamp, "parameter": .string(sample.value.field.name), "ecu": .string(sample.ecu.description),
                "value": JSONOutput.json(sample.value.value),
                "unit": sample.value.field.unit.map { .string($0.symbol) } ?? .null,
            ]
        }
    }
}
