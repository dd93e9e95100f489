// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A time as it outlives the process: by its date or, until the clock is synchronized, by the boot of the machine.
package enum RememberedTime: Hashable, Sendable {
    case date(Timestamp)
    /// A time of the boot with this id, whose date is not known yet.
    case time(MonotonicTime, boot: String)

    /// Takes a time of the present boot.
    package init(_ time: MonotonicTime, _ boot: MachineBoot) {
        self = boot.isSynchronised ? .date(boot.start + time.sinceBoot) : .time(time, boot: boot.id)
    }

    /// Returns the date by the present clock; nil if the time is of an earlier boot that never had a date.
    ///
    /// - Parameter boot: the present boot.
    package func date(_ boot: MachineBoot) -> Timestamp? {
        switch self {
        case .date(let date): date
        case .time(let time, boot.id): boot.start + time.sinceBoot
        case .time: nil
        }
    }

    /// Takes over the date of the present boot, because the clock is synchronized from now on.
    package mutating func clockSynchronised(_ boot: MachineBoot) {
        if case .time(let time, boot.id) = self { self = .date(boot.start + time.sinceBoot) }
    }

    // MARK: - The stored form

    /// Restores a time from the members of an object; nil if there is none.
    package init?(_ json: JSON) {
        if let boot = json["boot"].string, let time = json["time"].count.flatMap(Int64.init(exactly:)) {
            self = .time(MonotonicTime(sinceBoot: .milliseconds(time)), boot: boot)
        } else if let date = json["since"].time {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// The members of an object with this time.
    package var members: [String: JSON] {
        switch self {
        case .date(let date): ["since": .string("\(date)")]
        case .time(let time, let boot): ["boot": .string(boot), "time": .integer(time.sinceBoot.milliseconds)]
        }
    }
}
