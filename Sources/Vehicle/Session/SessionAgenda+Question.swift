// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

extension SessionAgenda {
    /// A request and its purpose.
    package enum Question: Hashable, Sendable {
        case errand(Errand)
        case poll(PollItem)
        /// Two to six PIDs of service 01 at once.
        case pids([PID])

        /// The request in the dialect of SAE J1979; nil if it has none.
        package var request: Request? {
            switch self {
            case .errand(let errand): errand.request
            case .poll(let item): item.request
            case .pids(let pids): .currentData(pids)
            }
        }

        /// The destination; nil for all ECUs.
        var destination: Destination? {
            switch self {
            case .errand(let errand): errand.destination
            case .poll(let item): item.destination
            case .pids: nil
            }
        }
    }
}
