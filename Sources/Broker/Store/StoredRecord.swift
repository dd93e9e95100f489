// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// A record as it is stored: its body without number and date, and the facts from which both are made.
package struct StoredRecord: Hashable, Sendable {
    package let stream: RecordStream
    package let id: RecordID
    package internal(set) var birth: Birth
    /// The body's JSON object.
    package let body: [UInt8]
    package let destination: Destination
    /// Whether the record is dropped last if there is no room, for example a record about codes.
    package let isCritical: Bool

    package init(
        stream: RecordStream,
        id: RecordID,
        birth: Birth,
        body: [UInt8],
        destination: Destination = Destination(),
        isCritical: Bool = false
    ) {
        self.stream = stream
        self.id = id
        self.birth = birth
        self.body = body
        self.destination = destination
        self.isCritical = isCritical
    }

    /// The birth of a record, on the monotonic clock of a boot of the machine.
    package struct Birth: Hashable, Sendable {
        /// The kernel's id of the boot.
        package var boot: String
        package var at: MonotonicTime
        /// The date of the boot; nil if it is the current boot, whose date the clock knows.
        package var start: BootStart?

        package init(boot: String, at: MonotonicTime, start: BootStart? = nil) {
            self.boot = boot
            self.at = at
            self.start = start
        }

        /// An earlier boot, with its date.
        package struct Boot: Hashable, Sendable {
            package var id: String
            package var start: BootStart

            package init(id: String, start: BootStart) {
                self.id = id
                self.start = start
            }
        }

        init(_ boot: Boot, at: MonotonicTime) { self.init(boot: boot.id, at: at, start: boot.start) }
    }

    /// The vehicle of a record, and the address of a copy.
    package struct Destination: Hashable, Sendable {
        /// The topic level of the record's vehicle, which need not be the connected one.
        package var vehicle: String
        /// The response topic that the requester asked for (MQTT 5).
        package var responseTopic: String?
        /// The requester's correlation data (MQTT 5).
        package var correlationData: [UInt8]?

        package init(vehicle: String = "", responseTopic: String? = nil, correlationData: [UInt8]? = nil) {
            self.vehicle = vehicle
            self.responseTopic = responseTopic
            self.correlationData = correlationData
        }
    }

    /// The approximate size in memory and on the disk, in bytes.
    var size: Int { Self.size(of: self.body.count) }

    /// The approximate size of a record with a body of this length.
    static func size(of body: Int) -> Int { body + 200 }
}

/// The date at which a boot's monotonic clock was zero.
package struct BootStart: Hashable, Sendable {
    package var date: Timestamp
    /// Whether the clock was trusted.
    package var quality: ClockQuality

    package init(date: Timestamp, quality: ClockQuality) {
        self.date = date
        self.quality = quality
    }

    /// Creates the date of the current boot, as a clock knows it now.
    package init(of clock: any CalendarClock) {
        self.init(date: clock.timestamp(of: .zero), quality: clock.quality)
    }
}

extension StoredRecord.Birth {
    /// Returns the date as it is known now.
    ///
    /// A correction of the clock also corrects the dates of earlier records.
    package func date(_ clock: any CalendarClock) -> Timestamp {
        (self.start ?? BootStart(of: clock)).date + self.at.sinceBoot
    }
}
