// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The share of a link for errands and trials, while polls are due all the time.
///
/// Work that took a while is followed by so much polling that it takes no more than its share, or by ``longest``.
struct IdleTime: Sendable {
    /// The kind of the work.
    enum Kind: CaseIterable, Sendable {
        /// Trials, freeze frames, bitmaps and maxima.
        case usual
        /// Vehicle information, which is read in the first minutes of each session.
        case information

        /// The share of the link.
        fileprivate var share: Double {
            switch self {
            case .usual: 1 / 16
            case .information: 1 / 64
            }
        }
    }

    /// The longest time of polling between two pieces of work.
    static let longest = Duration.seconds(20)

    /// The work under way, and its begin.
    private var work: (kind: Kind, begin: MonotonicTime)?
    /// The earliest time of the next work of each kind.
    private var openings: [Kind: MonotonicTime] = [:]

    /// Whether the next work of a kind may begin.
    func isOpen(_ kind: Kind, at now: MonotonicTime) -> Bool { self.openings[kind].map { $0 <= now } ?? true }

    /// Notes the begin of work.
    mutating func begin(_ kind: Kind, at now: MonotonicTime) { self.work = (kind, now) }

    /// Notes that the work under way, if there is any, has ended.
    mutating func endWork(at now: MonotonicTime) {
        guard let (kind, begin) = self.work else { return }
        self.openings[kind] = now + min((now - begin) * (1 / kind.share - 1), Self.longest)
        self.work = nil
    }
}
