// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import Base

/// A record as it is kept: its body without number and date, and what is needed to give it both.
package struct StoredRecord: Hashable, Sendable {
    package let stream: RecordStream
    package let id: RecordID
    package let birth: Birth
    /// The body's JSON object.
    package let body: [UInt8]
    package let destination: Destination
    /// Whether it goes only after everything else when there is no room: a record of a code.
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

    /// When a record was born: on the monotonic clock of a boot of the machine.
    package struct Birth: Hashable, Sendable {
        /// The kernel's id of the boot.
        package var boot: String
        package var at: MonotonicTime
        /// What is known of the boot's date, where it is not the present one.
        package var start: BootStart?

        package init(boot: String, at: MonotonicTime, start: BootStart? = nil) {
            self.boot = boot
            self.at = at
            self.start = start
        }
    }

    /// Where a record goes besides its stream.
    package struct Destination: Hashable, Sendable {
        /// The vehicle that it is about: its topic level.
        ///
        /// A record outlives a change of vehicle.
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

    /// The room that it takes in memory and on the disk, about, in bytes.
    var size: Int { self.body.count + 200 }
}

/// The date at which a boot's monotonic clock was zero.
package struct BootStart: Hashable, Sendable {
    package var date: Timestamp
    /// Whether the clock that told it was trusted.
    package var quality: ClockQuality

    package init(date: Timestamp, quality: ClockQuality) {
        self.date = date
        self.quality = quality
    }

    /// Of the present boot, as a clock has it now.
    package init(of clock: any CalendarClock) {
        self.init(date: clock.timestamp(of: .zero), quality: clock.quality)
    }
}

extension StoredRecord.Birth {
    /// The date as it is known now: what was read before the clock was set right has the right one all the same.
    package func date(_ clock: any CalendarClock) -> Timestamp {
        (self.start ?? BootStart(of: clock)).date + self.at.sinceBoot
    }
}
