// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// The payload of `codes`.
package struct CodesReport: Encodable, Hashable, Sendable {
    package var v = 1
    package var time: Timestamp
    /// Whether the stored codes of every ECU could be read.
    ///
    /// If false, ``codes`` has the codes of the ECUs that reported them, and there may be more.
    package var known: Bool
    /// Whether the malfunction indicator lamp is on; left out if that could not be read.
    package var mil: Bool?
    package var codes: [Code]
    /// The states that could not be read of every ECU, so the vehicle may have more codes in them.
    package var unread: [State]
    /// The states that no ECU of the vehicle keeps.
    ///
    /// If `stored` is one of them, ``known`` stays false.
    package var notSupported: [State]
    /// The status of the freeze frame of each ECU with stored codes.
    package var freezeFrames: [String: FrameStatus]

    package enum CodingKeys: String, CodingKey {
        case v, time, known, mil, codes, unread
        case notSupported = "not_supported"
        case freezeFrames = "freeze_frames"
    }

    /// A code of an ECU.
    package struct Code: Encodable, Hashable, Sendable {
        package var code: String
        /// A phrase in English: the code's meaning or, if that is unknown, where to look it up.
        package var description: String?
        /// The third byte of a code of OBD on UDS, in two hexadecimal digits; left out for other codes.
        package var failureType: String?
        /// The suspect parameter and the failure mode of a code of J1939.
        package var spn: UInt32?
        package var fmi: UInt8?
        /// The action that the fault requests of the driver; left out if the ECU requests none.
        package var severity: Severity?
        /// The class of the malfunction, as a number: unclassified, A, B1, B2 and C; left out if the ECU reports none.
        package var severityClass: Int?
        /// The part of the vehicle that the code's letter stands for.
        package var category: String?
        /// The component group of the code's range; left out if the standard has none.
        package var group: String?
        package var ecu: String
        package var states: [State]
        package var firstSeen: Timestamp
        /// The freeze frame that the ECU stored with the code; left out if there is none.
        package var freezeFrame: FreezeFrame?

        package enum CodingKeys: String, CodingKey {
            case code, description, severity, category, group, ecu, states, spn, fmi
            case severityClass = "severity_class"
            case failureType = "failure_type"
            case firstSeen = "first_seen"
            case freezeFrame = "freeze_frame"
        }

        package init(code: String, ecu: String, states: [State], firstSeen: Timestamp) {
            self.code = code
            self.ecu = ecu
            self.states = states
            self.firstSeen = firstSeen
        }

        package init(_ code: TroubleCode, ecu: String, states: [State], firstSeen: Timestamp) {
            self.init(code: code.description, ecu: ecu, states: states, firstSeen: firstSeen)
            self.description = code.explanation
            self.category = code.dtc?.category.rawValue
            self.group = code.dtc?.group?.rawValue
            switch code {
            case .j2012: break
            case .j2012Failure: self.failureType = String(code.description.suffix(2))
            case .j1939(let spn, let fmi): (self.spn, self.fmi) = (spn.rawValue, fmi.rawValue)
            }
        }
    }

    /// The action that a fault requests of the driver, the most urgent last (ISO 14229-1, D.3).
    package enum Severity: String, Codable, CaseIterable, Hashable, Sendable {
        case maintenanceOnly = "maintenance_only"
        case checkAtNextHalt = "check_at_next_halt"
        case checkImmediately = "check_immediately"

        package init(_ action: CodeSeverity.Action) {
            switch action {
            case .maintenanceOnly: self = .maintenanceOnly
            case .checkAtNextHalt: self = .checkAtNextHalt
            case .checkImmediately: self = .checkImmediately
            }
        }

        /// The action as a phrase.
        package var phrase: String { self.rawValue.replacing("_", with: " ") }
    }

    /// The list of the ECU that has a code: service 03, 07 or 0A.
    package enum State: String, Codable, CaseIterable, Hashable, Sendable {
        case stored, pending, permanent
    }

    package init(
        time: Timestamp,
        known: Bool,
        mil: Bool?,
        codes: [Code],
        unread: [State],
        notSupported: [State] = [],
        freezeFrames: [String: FrameStatus] = [:]
    ) {
        self.time = time
        self.known = known
        self.mil = mil
        self.codes = codes
        self.unread = unread
        self.notSupported = notSupported
        self.freezeFrames = freezeFrames
    }
}
