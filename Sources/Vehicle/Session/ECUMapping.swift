// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

/// Maps the ECUs: requests the bitmaps of their PIDs, and the maxima that scale some of their values.
///
/// An answer may be lost. So an ECU has all of its bitmaps only if it has sent each one that the bitmap before
/// announces, or has refused it, or was silent on ``silenceLimit`` requests. Until then it is unknown whether the ECU
/// has PIDs 4F and 50, and the values that these scale are withheld. The session does not wait for that: after the
/// first requests the others are sent in idle time.
struct ECUMapping: Sendable {
    /// The number of requests for a bitmap, or for maxima, that are sent before the session goes on.
    static let immediate = (bitmap: 2, maxima: 3)
    /// The number of requests for a bitmap after which a silent ECU does not have it.
    static var silenceLimit: Int { Self.bitmapRepetitions.limit }

    private static let bitmapRepetitions = Repetitions(
        immediate: Self.immediate.bitmap,
        pauses: [5, 10, 20, 40, 80].map { .seconds($0) }
    )
    private static let maximaRepetitions = Repetitions(
        immediate: Self.immediate.maxima,
        pauses: [Duration](repeating: .seconds(60), count: 10)
    )

    private var bitmaps = Self.bitmapRepetitions
    private var maxima = Self.maximaRepetitions
    /// The number of requests for an announced bitmap on which each ECU was silent.
    private var silences: [ECUAddress: [PID: Int]] = [:]
    /// Whether the ECUs have reported something new since the last complete round.
    private var hasNews = false
    /// The requests for maxima that follow now, because some ECU has them and has not reported them.
    private(set) var maximaErrands: [Errand] = []
    /// The next request in idle time.
    private(set) var next: (errand: Errand, time: MonotonicTime)?

    /// Begins anew, because another ECU answers.
    mutating func begin() {
        self.bitmaps.reset()
        self.maxima.reset()
        self.silences = [:]
    }

    /// Notes that the bitmaps are those of an earlier session.
    mutating func recognized(_ vehicle: inout VehicleIdentity) {
        vehicle.isMapped = true
        self.update(vehicle)
    }

    enum BitmapAction: Hashable, Sendable {
        case ask(Errand)
        /// The session goes on.
        ///
        /// - `isNews`: whether the ECUs have reported something new.
        case complete(isNews: Bool)
    }

    /// Takes over the answer to the request for the bitmap `base`.
    mutating func answered(
        _ base: PID,
        _ answer: ErrandAnswer,
        from vehicle: inout VehicleIdentity,
        at now: MonotonicTime
    ) -> BitmapAction {
        let before = vehicle
        for (ecu, known) in vehicle.ecus {
            let isAnnounced = known.supported.nextBitmap == base
            switch answer.result(of: ecu) {
            // The bitmap of an earlier session may have PIDs that the ECU no longer has.
            case .reply(let reply): try? vehicle.ecus[ecu]?.supported.replace(base: base, bitmap: reply.data)
            case .notSupported where isAnnounced: vehicle.ecus[ecu]?.lacksBitmap(base)
            case .silent where isAnnounced:
                self.silences[ecu, default: [:]][base, default: 0] += 1
                if self.silences[ecu]?[base] == Self.silenceLimit { vehicle.ecus[ecu]?.lacksBitmap(base) }
            case .notSupported, .silent, .refused, .unreadable: break
            }
        }
        self.bitmaps.requested(base, at: now)
        if vehicle != before {
            self.hasNews = true
            // The bitmap that announces the maxima may be the last one that was missing.
            if base == 0x40 { self.maxima.reset() }
        }
        if let next = Self.announced(vehicle).filter(self.bitmaps.isImmediate).min() {
            return .ask(.supportedPIDs(next))
        }
        let isNews = self.hasNews || !vehicle.isMapped
        self.hasNews = false
        vehicle.isMapped = true
        self.update(vehicle)
        return .complete(isNews: isNews)
    }

    enum MaximaAction: Hashable, Sendable {
        case askAgain
        /// All ECUs that have the PID have reported its data.
        case complete
        /// These ECUs have the PID and have not reported its data, so some of their values have no scale.
        ///
        /// - `isFirst`: whether the requests in idle time begin.
        case lacking([ECUAddress], isFirst: Bool)
    }

    /// Takes over the replies to a request for maxima.
    mutating func answered(
        _ pid: PID,
        _ replies: [ECUAddress: Reply],
        from vehicle: inout VehicleIdentity,
        at now: MonotonicTime
    ) -> MaximaAction {
        for (ecu, reply) in replies where Parameter.withPID(pid)?.length?.contains(reply.data.count) == true {
            vehicle.ecus[ecu]?.maxima[pid] = reply.data
        }
        self.maxima.requested(pid, at: now)
        self.update(vehicle)
        let lacking = vehicle.ecus.filter { $0.value.lacksMaxima(pid) }.keys.sorted()
        if lacking.isEmpty { return .complete }
        return self.maxima.isImmediate(pid) ? .askAgain : .lacking(lacking, isFirst: self.maxima.hasJustPaused(pid))
    }

    /// Returns the bitmaps that ECUs announce and have not sent.
    private static func announced(_ vehicle: VehicleIdentity) -> [PID] {
        vehicle.ecus.values.compactMap(\.supported.nextBitmap)
    }

    private mutating func update(_ vehicle: VehicleIdentity) {
        let lacking = Scaling.pids.filter { pid in vehicle.ecus.values.contains { $0.lacksMaxima(pid) } }
        self.maximaErrands = lacking.filter(self.maxima.isImmediate).map(Errand.maxima)
        let bitmaps = Set(Self.announced(vehicle)).compactMap { base in
            self.bitmaps.due(base).map { (errand: Errand.supportedPIDs(base), time: $0) }
        }
        let maxima = lacking.compactMap { pid in
            self.maxima.due(pid).map { (errand: Errand.maxima(pid), time: $0) }
        }
        self.next = (bitmaps + maxima).min { $0.time < $1.time }
    }
}

extension ECUIdentity {
    /// Notes that the ECU does not have a bitmap, although the one before announces it.
    fileprivate mutating func lacksBitmap(_ base: PID) {
        try? self.supported.merge(base: base, bitmap: [0, 0, 0, 0])
    }
}
