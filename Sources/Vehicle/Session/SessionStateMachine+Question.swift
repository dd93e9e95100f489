// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

extension SessionStateMachine {
    /// A request, and what it is for.
    package enum Question: Hashable, Sendable {
        case errand(Errand)
        case poll(PollItem)
        /// Two to six PIDs of service 01 at once.
        case pids([PID])

        /// What asks it in the words of SAE J1979; nil where those have none.
        package var request: Request? {
            switch self {
            case .errand(let errand): errand.request
            case .poll(let item): item.request
            case .pids(let pids): .currentData(pids)
            }
        }

        /// Whom it goes to; nil for everybody.
        var destination: Destination? {
            if case .poll(let item) = self { item.destination } else { nil }
        }
    }
}
