// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import ELM327
import FoundationEssentials
import OBD2
import Session
import Testing
import Base

@Suite("A replay of what was recorded")
struct ReplayTests {
    @Test(
        "A drive with faults decodes to the same, byte for byte",
        arguments: [.can11at500, .can29at250, .kwpFast, .iso9141, .j1850PWM] as [BusProtocol],
        [0, 4]
    )
    func same(bus: BusProtocol, faults: Int) async throws {
        let drive = try await Drive(.seconds(120), on: bus, faults: faults, seed: 42)
        let replay = try await Replay.lines(of: drive.text)
        #expect(replay.divergences.isEmpty)
        #expect(drive.told.count > 50)
        // The end of the recording may have cut off a request.
        #expect(replay.told == Array(drive.told.prefix(replay.told.count)))
        #expect(drive.told.count - replay.told.count <= 4)
    }

    @Test("The bytes of a recording go through its text unchanged, and so does the redacted one's decode")
    func text() async throws {
        for bus in BusProtocol.allCases {
            let drive = try await Drive(.seconds(30), on: bus, faults: 0, seed: 7)
            let transcript = try Transcript(drive.text)
            #expect(try Transcript(transcript.text).entries == transcript.entries)
            let redacted = Redaction.redacted(transcript).text
            let vin = "ZZZSMVLATR4700893"
            #expect(try await Replay.lines(of: drive.text).told.contains { $0.contains(vin) }, "\(bus)")
            let replay = try await Replay.lines(of: redacted)
            let crossed = "XXXXXXXXXX0000000"
            #expect(replay.told == drive.told.prefix(replay.told.count).map { $0.replacing(vin, with: crossed) })
            #expect(replay.divergences.isEmpty)
            #expect(!redacted.contains("5A5A5A"))
        }
    }

    @Test("A session that was stopped while it waited for a reply ends there, and is no divergence", arguments: 0..<3)
    func stopped(pieces: Int) async throws {
        let drive = try await Drive(.seconds(60), on: .can11at500, faults: 0, seed: 5)
        let transcript = try Transcript(drive.text)
        let half = transcript.entries.count / 2
        let start = try #require(transcript.entries.indices[half...].first { transcript.entries[$0].isRequest })
        // What is asked, what is sent, and so many pieces of the reply.
        let kept = transcript.entries[...(start + 1 + pieces)]
        let end = try #require(kept.last)
        let lines = transcript.text.split(separator: "\n").prefix(1 + kept.count).map(String.init)
        let close = TranscriptEntry(.closed, at: end.time + .milliseconds(2)).line
        let replay = try await Replay.lines(of: (lines + [close]).joined(separator: "\n") + "\n")
        #expect(replay.divergences.isEmpty)
        #expect(replay.told == Array(drive.told.prefix(replay.told.count)))
        #expect(replay.told.count > 20)
    }

    @Test("A recording that begins in the middle of a session still decodes")
    func middle() async throws {
        let drive = try await Drive(.seconds(120), on: .can11at500, faults: 0, seed: 3)
        let transcript = try Transcript(drive.text)
        let half = transcript.entries.count / 2
        let start = try #require(transcript.entries.indices[half...].first { transcript.entries[$0].isRequest })
        let lines = transcript.text.split(separator: "\n")
        let text = ([lines[0]] + lines[(start + 1)...]).joined(separator: "\n") + "\n"
        let replay = try await Replay.lines(of: text)
        #expect(replay.divergences.isEmpty)
        let samples = replay.told.filter { $0.contains(" sample ") }
        #expect(samples.count > 50)
        #expect(samples.allSatisfy { drive.told.contains($0) })
    }

    @Test("Where the dialogue is another than ours, it says so, and goes on behind it")
    func diverged() async throws {
        let drive = try await Drive(.seconds(30), on: .can11at500, faults: 0, seed: 3)
        let text = drive.text.replacing("> 0902\\r", with: "> 0904\\r")
        let replay = try await Replay.lines(of: text)
        #expect(!replay.divergences.isEmpty)
        #expect(replay.divergences.allSatisfy { $0.contains("> 0902\\r") }, "\(replay.divergences)")
        #expect(replay.told.count > 50)
    }

    /// Transcripts that were worth keeping, each beside what it must decode to: a user's becomes a test by putting it
    /// into the folder, with what `obd-agent replay` prints for it, once that is right.
    private static let fixtures = ((try? FileManager.default.contentsOfDirectory(atPath: Self.folder)) ?? [])
        .filter { $0.hasSuffix(".transcript.txt") }.sorted()
    private static let folder = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/Fixtures"

    @Test("Every kept transcript decodes as it did", arguments: Self.fixtures)
    func fixture(name: String) async throws {
        let transcript = try Transcript(try Self.read(name))
        var lines: [String] = []
        await Replay.run(transcript) { time, output in lines += output.lines(at: time) }
        let expected = try Self.read(name.replacing(".transcript.txt", with: ".replay.txt")).split(separator: "\n")
        #expect(lines[...].filter(Self.lasts) == expected.map(String.init).filter(Self.lasts))
    }

    /// Whether a line says what was read: how an adapter is brought up may change, what its replies mean may not.
    private static func lasts(_ line: String) -> Bool {
        [" sample ", " codes ", " monitors ", " vehicle "].contains { line.contains($0) }
    }

    private static func read(_ name: String) throws -> String {
        String(decoding: try #require(FileManager.default.contents(atPath: "\(Self.folder)/\(name)")), as: UTF8.self)
    }

    @Test("There are kept transcripts")
    func areKept() {
        #expect(!Self.fixtures.isEmpty)
    }
}

extension TranscriptEntry {
    fileprivate var isRequest: Bool {
        if case .asking = self.event { true } else { false }
    }
}
