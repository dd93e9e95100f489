// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import AdapterLink
package import Base
package import Logging
package import OBD2
package import SocketCAN

// The ways to the vehicle.
extension Session {
    /// Opens a new link before the deadline.
    package typealias Opener = @Sendable (MonotonicTime) async throws(LinkError) -> any AdapterLink

    /// The way to the vehicle.
    package enum Way: Sendable {
        /// An ELM327 adapter behind a link; the recorder records the dialogue with it.
        case adapter(Opener, AdapterMemory, TranscriptRecorder?)
        /// The CAN interface of this machine with this name.
        case can(String, CANOpener)

        /// Returns the bus at the end of this way, not yet open.
        package func bus(_ clock: any MonotonicClock) -> any VehicleBus {
            switch self {
            case .adapter(let open, let memory, let recorder):
                AdapterConnection(open, memory: memory, clock: clock, recorder: recorder)
            case .can(let name, let open): CANConnection(name, open, clock: clock)
            }
        }
    }

    /// Opens a port on a CAN interface.
    package typealias CANOpener = @Sendable () throws(CANError) -> any CANPort

    /// - Parameters:
    ///   - open: opens a link to the adapter.
    ///   - memory: the facts about the adapter that outlive the process.
    ///   - recorder: records the dialogue with the adapter.
    ///   - emit: receives the events in order; it must not block.
    package init(
        open: @escaping Opener,
        memory: AdapterMemory = AdapterMemory(),
        vehicle: VehicleSettings = VehicleSettings(),
        selection: Selection,
        parking: ParkingSettings = ParkingSettings(),
        clock: any MonotonicClock,
        logger: Logger,
        recorder: TranscriptRecorder? = nil,
        emit: @escaping @Sendable (SessionEvent) -> Void
    ) {
        self.init(
            over: .adapter(open, memory, recorder),
            vehicle: vehicle,
            selection: selection,
            parking: parking,
            clock: clock,
            logger: logger,
            emit: emit
        )
    }
}
