// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Diagnosis
import ELM327
import FoundationEssentials
import OBD2
import Session
import Testing

@Suite("The replay of a transcript")
struct ReplayTests {
    @Test(
        "The replay of a drive with faults gives the same output as the drive",
        arguments: [.can11at500, .can29at250, .kwpFast, .iso9141, .j1850PWM] as [BusProtocol],
        [0, 4]
    )
    func same(bus: BusProtocol, faults: Int) async throws {
        let drive = try await Drive(.seconds(120), on: bus, faults: faults, seed: 42)
        let replay = try await Replay.lines(of: drive.text)
        #expect(replay.divergences.isEmpty)
        #expect(drive.lines.count > 50)
        // The end of the recording may have cut off a request.
        #expect(replay.lines == Array(drive.lines.prefix(replay.lines.count)))
        #expect(drive.lines.count - replay.lines.count <= 4)
    }

    @Test("A transcript survives its text unchanged, and its redacted form decodes to the same values")
    func text() async throws {
        for bus in BusProtocol.allCases {
            let drive = try await Drive(.seconds(30), on: bus, faults: 0, seed: 7)
            let transcript = try Transcript(drive.text)
            #expect(try Transcript(transcript.text).entries == transcript.entries)
            let redacted = Redaction.redacted(transcript).text
            let vin = "ZZZSMVLATR4700893"
            #expect(try await Replay.lines(of: drive.text).lines.contains { $0.contains(vin) }, "\(bus)")
            let replay = try await Replay.lines(of: redacted)
            let masked = "XXXXXXXXXX0000000"
            #expect(replay.lines == drive.lines.prefix(replay.lines.count).map { $0.replacing(vin, with: masked) })
            #expect(replay.divergences.isEmpty)
            #expect(!redacted.contains("5A5A5A"))
        }
    }

    @Test("A session that was stopped while it waited for a reply is no divergence", arguments: 0..<3)
    func stopped(pieces: Int) async throws {
        let drive = try await Drive(.seconds(60), on: .can11at500, faults: 0, seed: 5)
        let transcript = try Transcript(drive.text)
        let half = transcript.entries.count / 2
        // The reply has two pieces at least, as that of an ECU has.
        let start = try #require(
            transcript.entries.indices[half...].dropLast(3).first { index in
                transcript.entries[index].isRequest
                    && transcript.entries[(index + 2)...(index + 3)].allSatisfy(\.isReceived)
            }
        )
        // The request, the sent command, and this many pieces of the reply.
        let kept = transcript.entries[...(start + 1 + pieces)]
        let end = try #require(kept.last)
        let lines = transcript.text.split(separator: "\n").prefix(1 + kept.count).map(String.init)
        let close = TranscriptEntry(.closed, at: end.time + .milliseconds(2)).line
        let replay = try await Replay.lines(of: (lines + [close]).joined(separator: "\n") + "\n")
        #expect(replay.divergences.isEmpty)
        #expect(replay.lines == Array(drive.lines.prefix(replay.lines.count)))
        #expect(replay.lines.count > 20)
    }

    @Test("A transcript that begins in the middle of a session is decoded")
    func middle() async throws {
        let drive = try await Drive(.seconds(120), on: .can11at500, faults: 0, seed: 3)
        let transcript = try Transcript(drive.text)
        let half = transcript.entries.count / 2
        let start = try #require(transcript.entries.indices[half...].first { transcript.entries[$0].isRequest })
        let lines = transcript.text.split(separator: "\n")
        let text = ([lines[0]] + lines[(start + 1)...]).joined(separator: "\n") + "\n"
        let replay = try await Replay.lines(of: text)
        #expect(replay.divergences.isEmpty)
        let samples = replay.lines.filter { $0.contains(" sample ") }
        #expect(samples.count > 50)
        #expect(samples.allSatisfy { drive.lines.contains($0) })
    }

    @Test("A dialogue that differs from that of this version is a divergence, and the replay continues after it")
    func diverged() async throws {
        let drive = try await Drive(.seconds(30), on: .can11at500, faults: 0, seed: 3)
        let text = drive.text.replacing("> 0902\\r", with: "> 0904\\r")
        let replay = try await Replay.lines(of: text)
        #expect(!replay.divergences.isEmpty)
        #expect(replay.divergences.allSatisfy { $0.contains("> 0902\\r") }, "\(replay.divergences)")
        #expect(replay.lines.count > 50)
    }

    /// The transcripts in the folder `Fixtures`, each with the expected output beside it.
    ///
    /// To make a test of a user's transcript, put it into that folder together with the verified output of
    /// `obd-agent replay`.
    private static let fixtures = ((try? FileManager.default.contentsOfDirectory(atPath: Self.folder)) ?? [])
        .filter { $0.hasSuffix(".transcript.txt") }.sorted()
    private static let folder = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/Fixtures"

    @Test("Every transcript of the fixtures decodes to its expected output", arguments: Self.fixtures)
    func fixture(name: String) async throws {
        let transcript = try Transcript(try Self.read(name))
        var lines: [String] = []
        await Replay.run(transcript) { time, output in lines += output.lines(at: time) }
        let expected = try Self.read(name.replacing(".transcript.txt", with: ".replay.txt")).split(separator: "\n")
        #expect(lines[...].filter(Self.isDecoded) == expected.map(String.init).filter(Self.isDecoded))
    }

    /// Whether a line has decoded values.
    ///
    /// They must not change, while the start-up of an adapter may.
    private static func isDecoded(_ line: String) -> Bool {
        [" sample ", " codes ", " monitors ", " vehicle "].contains { line.contains($0) }
    }

    private static func read(_ name: String) throws -> String {
        String(decoding: try #require(FileManager.default.contents(atPath: "\(Self.folder)/\(name)")), as: UTF8.self)
    }

    @Test("There are fixtures")
    func fixturesExist() {
        #expect(!Self.fixtures.isEmpty)
    }
}

extension TranscriptEntry {
    fileprivate var isRequest: Bool {
        if case .asking = self.event { true } else { false }
    }

    fileprivate var isReceived: Bool {
        if case .received = self.event { true } else { false }
    }
}
