// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ELM327
package import OBD2

/// The lists of codes that an ECU keeps.
package enum CodeState: CaseIterable, Hashable, Sendable {
    /// Confirmed: service 03.
    case stored
    /// Detected in this or the last driving cycle: service 07.
    case pending
    /// Confirmed, and cleared only by the ECU itself once its own tests have passed: service 0A.
    case permanent

    package var request: Request {
        switch self {
        case .stored: .confirmedCodes
        case .pending: .pendingCodes
        case .permanent: .permanentCodes
        }
    }
}

/// The result of reading one list of codes: "none" and "could not read" differ.
package enum CodeList: Hashable, Sendable {
    case read([ECUAddress: [TroubleCode]])
    /// Some ECUs reported codes, and the answer of another ECU is missing.
    case incomplete([ECUAddress: [TroubleCode]])
    /// No ECU answers this service.
    case notSupported
    /// An ECU's answer could not be read, or an ECU did not answer although it must, and no ECU reported a code.
    case failed

    /// The codes that the ECUs reported.
    package var codes: [ECUAddress: [TroubleCode]] {
        switch self {
        case .read(let codes), .incomplete(let codes): codes
        case .notSupported, .failed: [:]
        }
    }

    /// Whether an ECU may have codes that are not in ``codes``.
    package var isOpen: Bool {
        switch self {
        case .incomplete, .failed: true
        case .read, .notSupported: false
        }
    }
}

/// All codes of the vehicle at one time.
package struct CodeReading: Hashable, Sendable {
    package var lists: [CodeState: CodeList]
    /// Each ECU's answer to PID 01; empty if it could not be read.
    package var monitors: [ECUAddress: MonitorStatus]
    /// The status and the severity of the codes of J1979-2, of all lists together.
    package var records: [ECUAddress: [TroubleCode: CodeRecord]] = [:]
    /// The ECUs whose stored codes show whether they request the warning lamp, and whether they do; J1979-2 only.
    package var lampRequests: [ECUAddress: Bool] = [:]
    /// Whether some ECU has reported nothing about the lamp.
    package var hasUnknownLamp: Bool
    /// The freeze frame of each ECU with stored codes.
    package var freezeFrames: [ECUAddress: FreezeFrameReading] = [:]
    package var time: MonotonicTime

    package init(lists: [CodeState: CodeList], monitors: [ECUAddress: MonitorStatus], time: MonotonicTime) {
        self.lists = lists
        self.monitors = monitors
        self.hasUnknownLamp = monitors.isEmpty
        self.time = time
    }

    /// Whether the MIL is on, by the ECUs' answers to PID 01, and by the codes of ECUs that did not answer it.
    ///
    /// The MIL is off only if every ECU has reported that.
    package var mil: Bool? {
        let requests = self.lampRequests.contains { $0.value && self.monitors[$0.key] == nil }
        if requests || self.monitors.values.contains(where: \.mil) { return true }
        return self.hasUnknownLamp ? nil : false
    }

    /// Returns what an ECU of J1979-2 reported about the severity of a code; nil if it reported none.
    package func severity(of code: TroubleCode, in ecu: ECUAddress) -> CodeSeverity? {
        self.records[ecu]?[code].map(\.severity)
    }

    /// Whether the stored codes of every ECU are known.
    ///
    /// Unless they are known, there may be more codes than those of the reading.
    package var isKnown: Bool {
        if case .read = self.lists[.stored] { true } else { false }
    }

    /// The stored codes of each ECU; empty if they are not known.
    var stored: [ECUAddress: [TroubleCode]] {
        if case .read(let codes) = self.lists[.stored] { codes } else { [:] }
    }

    /// The lists in which each code of each ECU is.
    package var states: [ECUAddress: [TroubleCode: [CodeState]]] {
        var states: [ECUAddress: [TroubleCode: [CodeState]]] = [:]
        for state in CodeState.allCases {
            for (ecu, codes) in self.lists[state]?.codes ?? [:] {
                for code in codes { states[ecu, default: [:]][code, default: []].append(state) }
            }
        }
        return states
    }
}
