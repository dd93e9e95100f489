// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import OBD2

/// Reads the freeze frame of each ECU that has stored codes: which code it belongs to, what it holds, the values.
///
/// A machine: answers in, errands out. What does not answer is asked twice.
struct FreezeFrameReader: Sendable {
    /// How many parameters of the frames are read at most.
    static let parameterLimit = 64
    /// How often a request is asked that an ECU leaves open.
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
    /// What the frames of an ECU hold, once it has told.
    private var supported: [ECUAddress: SupportedPIDs] = [:]
    /// The ECUs that are asked for a frame.
    private var wanted: Set<ECUAddress> = []
    /// Those of them that have a frame whose values are not known.
    private var unread: [ECUAddress] = []

    /// What to ask next; nil when there is nothing.
    var next: Errand? {
        switch self.state {
        case .idle: nil
        case .askingCode: .freezeFrame(FreezeFrame.codePID)
        case .askingBitmap(let base): .freezeFrame(base)
        case .askingValues(let pids): pids.first.map(Errand.freezeFrame)
        }
    }

    enum BeginAction: Hashable, Sendable {
        /// These frames are known already, and are looked at again.
        case reading([ECUAddress: FreezeFrameReading])
        /// No ECU has a stored code.
        case nothingToRead
    }

    /// The codes were read: frames whose code is gone are forgotten.
    ///
    /// - Parameter isThorough: reads frames that are known anew.
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

    /// The errand ``next`` was answered.
    mutating func answered(_ answer: ErrandAnswer, from vehicle: VehicleIdentity) -> AnsweredAction {
        self.attempts += 1
        let isLast = self.attempts >= Self.attemptLimit
        switch self.state {
        case .idle:
            return .proceed
        case .askingCode:
            let isComplete = self.tookCodes(answer, isLast: isLast)
            guard isComplete || isLast else { return .proceed }
            self.unread = self.frames.filter { if case .stored(_, [], _) = $0.value { true } else { false } }
                .keys.sorted()
            return self.askBitmap(after: nil, vehicle)
        case .askingBitmap(let base):
            for ecu in self.unread {
                guard case .reply(let reply) = answer.told(by: ecu) else { continue }
                try? self.supported[ecu, default: SupportedPIDs()].merge(base: base, bitmap: reply.data)
            }
            let isComplete = self.unread.allSatisfy { self.nextBitmap(of: $0) != base }
            guard isComplete || isLast else { return .proceed }
            return self.askBitmap(after: base, vehicle)
        case .askingValues(let pids):
            guard let pid = pids.first else { return self.askValues([]) }
            let isComplete = self.tookValues(of: pid, answer, isLast: isLast)
            guard isComplete || isLast else { return .proceed }
            return self.askValues(Array(pids.dropFirst()))
        }
    }

    // MARK: - Which code

    /// Whether every ECU told.
    private mutating func tookCodes(_ answer: ErrandAnswer, isLast: Bool) -> Bool {
        var isComplete = true
        for ecu in self.wanted {
            switch answer.told(by: ecu) {
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

    // MARK: - What it holds

    private func nextBitmap(of ecu: ECUAddress) -> PID? { (self.supported[ecu] ?? SupportedPIDs()).nextBitmap }

    /// Asks the next bitmap that some frame announces, and then the values.
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

    /// What a frame holds; where the ECU does not tell that, what it supports now.
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

    /// Whether every ECU told whose frame holds `pid`.
    private mutating func tookValues(of pid: PID, _ answer: ErrandAnswer, isLast: Bool) -> Bool {
        guard let parameter = Parameter.withPID(pid) else { return true }
        var isComplete = true
        for ecu in self.unread {
            guard case .stored(let code, var values, var unread) = self.frames[ecu],
                !values.contains(where: { parameter.fields.contains($0.field) }), !unread.contains(pid)
            else { continue }
            if case .reply(let reply) = answer.told(by: ecu), let decoded = try? parameter.decode(reply.data) {
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
