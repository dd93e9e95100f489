// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What libFuzzer feeds; which one, the environment variable `FUZZER` says.
enum Fuzzer: String, CaseIterable {
    case dialogue, frames, startup, obd2, uds, j1939, commands, configuration, payloads, transcripts
    case formulas, signalsets, json, envelopes, packets, strangers

    /// The one that is chosen.
    static let chosen = unsafe getenv("FUZZER").flatMap { unsafe Fuzzer(rawValue: String(cString: $0)) }

    /// Hands any bytes to the code under test, which must neither trap nor hang, and must keep what is asserted here.
    func run(_ input: [UInt8]) {
        switch self {
        case .dialogue: Self.dialogue(input)
        case .frames: Self.frames(input)
        case .startup: Self.startUp(input)
        case .obd2: Self.obd2(input)
        case .uds: Self.uds(input)
        case .j1939: Self.j1939(input)
        case .commands: Self.commands(input)
        case .configuration: Self.configuration(input)
        case .payloads: Self.payloads(input)
        case .transcripts: Self.transcripts(input)
        case .formulas: Self.formulas(input)
        case .signalsets: Self.signalSets(input)
        case .json: Self.json(input)
        case .envelopes: Self.envelopes(input)
        case .packets: Self.packets(input)
        case .strangers: Self.strangers(input)
        }
    }
}

/// libFuzzer's way in.
@_cdecl("LLVMFuzzerTestOneInput")
package func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    guard let fuzzer = Fuzzer.chosen else {
        print("FUZZER is one of: \(Fuzzer.allCases.map(\.rawValue).joined(separator: " "))")
        exit(64)
    }
    fuzzer.run(unsafe Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
}
