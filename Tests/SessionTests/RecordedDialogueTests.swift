// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Dialogues that strangers have recorded")
struct RecordedDialogueTests {
    @Test("The readings of a recorded reply are those that its frames hold", arguments: RecordedDialogue.all)
    func readings(dialogue: RecordedDialogue) async throws {
        // A whole reply, notifications of Bluetooth LE, and byte by byte.
        for size in [Int.max, 20, 1] {
            #expect(try await dialogue.play(inPiecesOf: size) == dialogue.readings, "in pieces of \(size) bytes")
        }
    }
}
