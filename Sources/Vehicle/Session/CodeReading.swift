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
    /// No ECU answers this service.
    case notSupported
    /// An ECU's answer could not be read, or an ECU did not answer although it must.
    case failed
}

/// All codes of the vehicle at one time.
package struct CodeReading: Hashable, Sendable {
    package var lists: [CodeState: CodeList]
    /// Each ECU's answer to PID 01; empty if it could not be read.
    package var monitors: [ECUAddress: MonitorStatus]
    /// The freeze frame of each ECU with stored codes.
    package var freezeFrames: [ECUAddress: FreezeFrameReading] = [:]
    package var time: MonotonicTime

    package init(lists: [CodeState: CodeList], monitors: [ECUAddress: MonitorStatus], time: MonotonicTime) {
        self.lists = lists
        self.monitors = monitors
        self.time = time
    }

    /// Whether the stored codes of every ECU are known.
    ///
    /// Unless they are known, the rest of the reading has no meaning.
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
            guard case .read(let ecus) = self.lists[state] else { continue }
            for (ecu, codes) in ecus {
                for code in codes { states[ecu, default: [:]][code, default: []].append(state) }
            }
        }
        return states
    }
}
