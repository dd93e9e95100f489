// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import OBD2

/// Reads the freeze frame of each ECU that has stored codes: its code, its PIDs, and their values.
///
/// `FreezeFrameReader` is a pure state machine: answers go in, errands come out. A request that an ECU does not answer
/// is sent twice.
struct FreezeFrameReader: Sendable {
    /// The largest number of parameters that are read from the frames.
    static let parameterLimit = 64
    /// The number of attempts for a request that an ECU does not answer.
    static let attemptLimit = 2

    private enum State: Hashable, Sendable {
        case idle
        case askingCode
        case askingBitmap(PID)
        case askingValues([PID])
    }

    /// Whether a caller waits for the freeze frames.
    var isUrgent = false
    private var state = State.idle
    private var attempts = 0
    private var frames: [ECUAddress: FreezeFrameReading] = [:]
    /// The PIDs in the frame of each ECU that has answered the request for its bitmaps.
    private var supported: [ECUAddress: SupportedPIDs] = [:]
    /// The ECUs with stored codes, whose frames are read.
    private var wanted: Set<ECUAddress> = []
    /// The ECUs that have a frame whose values are not known yet.
    private var unread: [ECUAddress] = []

    /// The next errand; nil if none is left.
    var next: Errand? {
        switch self.state {
        case .idle: nil
        case .askingCode: .freezeFrame(FreezeFrame.codePID)
        case .askingBitmap(let base): .freezeFrame(base)
        case .askingValues(let pids): pids.first.map(Errand.freezeFrame)
        }
    }

    enum BeginAction: Hashable, Sendable {
        /// The reading has begun. These frames are known from an earlier reading, and their codes are read again.
        case reading([ECUAddress: FreezeFrameReading])
        /// No ECU has a stored code.
        case nothingToRead
    }

    /// Begins a reading after the codes were read, and forgets the frames whose code is gone.
    ///
    /// - Parameter isThorough: whether known frames are read again.
    mutating func begin(_ stored: [ECUAddress: [TroubleCode]], isThorough: Bool) -> BeginAction {
        self.wanted = Set(stored.filter { !$0.value.isEmpty }.keys)
        self.frames = self.frames.filter { ecu, frame in
            guard !isThorough, case .stored(let code, _, let unread) = frame, unread.isEmpty else { return false }
            return stored[ecu]?.contains(.j2012(code)) == true
        }
        self.attempts = 0
        self.state = self.wanted.isEmpty ? .idle : .askingCode
        return self.wanted.isEmpty ? .nothingToRead : .reading(self.frames)
    }

    enum AnsweredAction: Hashable, Sendable {
        case proceed
        case complete([ECUAddress: FreezeFrameReading])
    }

    /// Takes over the answer to the errand ``next``.
    mutating func answered(_ answer: ErrandAnswer, from vehicle: VehicleIdentity) -> AnsweredAction {
        self.attempts += 1
        let isLast = self.attempts >= Self.attemptLimit
        switch self.state {
        case .idle:
            return .proceed
        case .askingCode:
            let isComplete = self.mergeCodes(answer, isLast: isLast)
            guard isComplete || isLast else { return .proceed }
            self.unread = self.frames.filter { if case .stored(_, [], _) = $0.value { true } else { false } }
                .keys.sorted()
            return self.askBitmap(after: nil, vehicle)
        case .askingBitmap(let base):
            for ecu in self.unread {
                guard case .reply(let reply) = answer.result(of: ecu) else { continue }
                try? self.supported[ecu, default: SupportedPIDs()].merge(base: base, bitmap: reply.data)
            }
            let isComplete = self.unread.allSatisfy { self.nextBitmap(of: $0) != base }
            guard isComplete || isLast else { return .proceed }
            return self.askBitmap(after: base, vehicle)
        case .askingValues(let pids):
            guard let pid = pids.first else { return self.askValues([]) }
            let isComplete = self.mergeValues(of: pid, answer, vehicle, isLast: isLast)
            guard isComplete || isLast else { return .proceed }
            return self.askValues(Array(pids.dropFirst()))
        }
    }

    // MARK: - The code

    /// Takes over the code of each ECU's frame.
    ///
    /// - Returns: whether every ECU has answered.
    private mutating func mergeCodes(_ answer: ErrandAnswer, isLast: Bool) -> Bool {
        var isComplete = true
        for ecu in self.wanted {
            switch answer.result(of: ecu) {
            case .reply(let reply):
                do {
                    guard let code = try FreezeFrame.code(reply) else {
                        self.frames[ecu] = FreezeFrameReading.none
                        continue
                    }
                    if case .stored(code, _, _) = self.frames[ecu] { continue }
                    self.frames[ecu] = .stored(code, values: [], unread: [])
                } catch {
                    self.frames[ecu] = .failed
                }
            case .notSupported: self.frames[ecu] = .notSupported
            case .silent:
                isComplete = false
                if isLast { self.frames[ecu] = .notSupported }
            case .refused, .unreadable:
                isComplete = false
                if isLast { self.frames[ecu] = .failed }
            }
        }
        return isComplete
    }

    // MARK: - The PIDs of a frame

    private func nextBitmap(of ecu: ECUAddress) -> PID? { (self.supported[ecu] ?? SupportedPIDs()).nextBitmap }

    /// Requests the next bitmap that a frame announces, and the values after the last one.
    private mutating func askBitmap(after last: PID?, _ vehicle: VehicleIdentity) -> AnsweredAction {
        let next = self.unread.compactMap(self.nextBitmap).filter { base in last.map { base > $0 } ?? true }.min()
        guard let next else {
            let pids = Set(self.unread.flatMap { self.contents(of: $0, vehicle) }).sorted()
            return self.askValues(pids.prefix(Self.parameterLimit))
        }
        self.attempts = 0
        self.state = .askingBitmap(next)
        return .proceed
    }

    /// Returns the PIDs in a frame; if the ECU does not report them, the PIDs that the ECU supports now.
    private func contents(of ecu: ECUAddress, _ vehicle: VehicleIdentity) -> [PID] {
        let supported = self.supported[ecu] ?? vehicle.ecus[ecu]?.supported ?? SupportedPIDs()
        return supported.pids.filter { pid in
            !pid.isBitmap && pid != 0x01 && pid != FreezeFrame.codePID
                && Parameter.withPID(pid)?.fields.isEmpty == false
        }
    }

    // MARK: - The values

    private mutating func askValues(_ pids: some Collection<PID>) -> AnsweredAction {
        self.attempts = 0
        guard !pids.isEmpty else {
            self.state = .idle
            return .complete(self.frames)
        }
        self.state = .askingValues(Array(pids))
        return .proceed
    }

    /// Takes over the values of a PID.
    ///
    /// - Returns: whether every ECU has answered whose frame has the PID.
    private mutating func mergeValues(
        of pid: PID,
        _ answer: ErrandAnswer,
        _ vehicle: VehicleIdentity,
        isLast: Bool
    ) -> Bool {
        var isComplete = true
        for ecu in self.unread {
            let conventions = vehicle.conventions(of: ecu)
            guard let parameter = conventions.parameter(of: pid) else { continue }
            guard case .stored(let code, var values, var unread) = self.frames[ecu],
                !values.contains(where: { parameter.fields.contains($0.field) }), !unread.contains(pid)
            else { continue }
            if case .reply(let reply) = answer.result(of: ecu),
                let decoded = try? conventions.decode(reply.data, of: pid)
            {
                if !parameter.isSentinel(reply.data) { values += decoded }
            } else if self.supported[ecu]?.contains(pid) == true {
                isComplete = false
                if isLast { unread.append(pid) }
            }
            self.frames[ecu] = .stored(code, values: values, unread: unread)
        }
        return isComplete
    }
}
