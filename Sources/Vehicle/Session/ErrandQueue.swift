// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// The errands of a session: the urgent ones, the survey after the first poll, and those for idle time.
struct ErrandQueue: Sendable {
    /// The progress of a session.
    private enum State: Sendable {
        /// The vehicle is being identified. One poll follows, and then the survey.
        case identifying(survey: [Errand])
        /// The survey has begun.
        case polling
    }

    /// The place of an errand.
    enum Line: Sendable {
        case urgent
        case idle
    }

    private var state: State
    /// The errands that come before any poll.
    private(set) var urgent: [Errand] = [.vin]
    /// The errands for the time in which no poll is due.
    private(set) var idle: [Errand]

    /// Creates the queue of a session with a vehicle of this dialect.
    init(_ dialect: Dialect) {
        let survey = [.monitorStatus] + CodeState.allCases.map(Errand.codes)
        switch dialect {
        case .manufacturer: (self.state, self.idle) = (.identifying(survey: []), [])
        case .j1939: (self.state, self.idle) = (.identifying(survey: survey), Identification.groupErrands)
        case .j1979, .j1979Part2:
            // PID 00 is requested once more, to find an ECU whose answer was damaged during start-up.
            self.state = .identifying(survey: [.supportedPIDs(0x00)] + survey)
            self.idle = [.information(.supported)]
        }
    }

    /// Makes the survey urgent, once.
    ///
    /// - Returns: whether the survey begins, so that one poll is due first.
    mutating func beginSurvey() -> Bool {
        switch self.state {
        case .identifying(let survey):
            self.urgent = survey
            self.state = .polling
            return true
        case .polling: return false
        }
    }

    /// Moves the bitmaps of the survey into idle time, because those of an earlier session are known.
    ///
    /// - Parameters:
    ///   - bitmaps: the errands for all of them, which show whether an ECU has other PIDs than it had.
    ///   - maxima: the errands that take their place.
    mutating func postpone(bitmaps: [Errand], for maxima: [Errand]) {
        guard case .identifying(let survey) = self.state else { return }
        self.state = .identifying(survey: maxima + survey.filter { !$0.isBitmap })
        self.idle += bitmaps
    }

    /// Appends another errand that identifies the vehicle, after the bitmaps of the survey.
    mutating func appendIdentification(_ errand: Errand) {
        switch self.state {
        case .identifying(let survey):
            self.urgent += survey.filter(\.isBitmap) + [errand]
            self.state = .identifying(survey: survey.filter { !$0.isBitmap })
        case .polling: self.urgent.append(errand)
        }
    }

    /// Removes an errand that has ended.
    mutating func remove(_ errand: Errand) -> Line {
        if self.urgent.first == errand {
            self.urgent.removeFirst()
            return .urgent
        }
        if self.idle.first == errand { self.idle.removeFirst() }
        return .idle
    }

    mutating func insertUrgent(_ errand: Errand) { self.urgent.insert(errand, at: 0) }

    /// Appends an urgent errand that is not there yet.
    ///
    /// - Returns: whether it was appended.
    mutating func appendUrgent(_ errand: Errand) -> Bool {
        guard !self.urgent.contains(errand) else { return false }
        self.urgent.append(errand)
        return true
    }

    /// Appends an errand for idle time that is not there yet.
    mutating func appendIdle(_ errand: Errand) {
        guard !(self.urgent + self.idle).contains(errand) else { return }
        self.idle.append(errand)
    }

    mutating func insert(_ errand: Errand, in line: Line) {
        switch line {
        case .urgent: self.urgent.insert(errand, at: 0)
        case .idle: self.idle.insert(errand, at: 0)
        }
    }

    mutating func append(_ errands: [Errand], in line: Line) {
        switch line {
        case .urgent: self.urgent += errands
        case .idle: self.idle += errands
        }
    }

    // MARK: - Readings

    var hasCodes: Bool { self.urgent.contains(where: \.isCodes) }

    /// Replaces the urgent errands by the lists of codes.
    ///
    /// - Parameter isComplete: whether PID 01 is read before them, and the bitmaps after them.
    mutating func replaceUrgentWithCodes(isComplete: Bool) {
        let codes = CodeState.allCases.map(Errand.codes)
        self.urgent = isComplete ? [.monitorStatus] + codes + self.urgent.filter { $0.isBitmap || $0.isMaxima } : codes
    }

    /// Whether vehicle information is still to be read.
    var hasInformation: Bool { (self.urgent + self.idle).contains(where: \.isInformation) }

    /// Begins a reading of all vehicle information.
    mutating func makeInformationUrgent() {
        self.idle.removeAll(where: \.isInformation)
        self.urgent += [.vin, .information(.supported)]
    }
}

extension Errand {
    fileprivate var isCodes: Bool {
        switch self {
        case .codes, .ungroupedCodes: true
        default: false
        }
    }

    fileprivate var isMaxima: Bool { if case .maxima = self { true } else { false } }

    /// The kind of work that the errand is in idle time.
    var idleKind: IdleTime.Kind { self.isInformation ? .information : .usual }

    fileprivate var isInformation: Bool {
        switch self {
        case .vin, .information: true
        case .supportedPIDs, .maxima, .monitorStatus, .readiness, .codes, .ungroupedCodes, .freezeFrame, .tests,
            .settingsProof, .identityProof, .addressedVIN:
            false
        }
    }
}
