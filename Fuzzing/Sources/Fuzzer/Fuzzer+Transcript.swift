// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import Dispatch

/// What somebody sends in to be looked at.
extension Fuzzer {
    /// A transcript, or an archive with one.
    static func transcripts(_ input: [UInt8]) {
        let text = TarArchive.file("transcript.txt", in: input) ?? input
        _ = SecretMask.masked(String(decoding: input, as: UTF8.self))
        guard let transcript = try? Transcript(String(decoding: text, as: UTF8.self)) else { return }
        precondition((try? Transcript(transcript.text))?.entries == transcript.entries)
        precondition(Redaction.redacted(transcript).entries.count == transcript.entries.count)
        let end = DispatchSemaphore(value: 0)
        Task.detached {
            await Replay.run(transcript) { time, output in _ = output.lines(at: time) }
            end.signal()
        }
        end.wait()
    }
}
