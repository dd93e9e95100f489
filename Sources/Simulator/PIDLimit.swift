// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The limit of an ECU on the PIDs of one request for live data.
///
/// SAE J1979 requires six.
package enum PIDLimit: Hashable, Sendable {
    /// The ECU does not answer a request with more PIDs.
    case silence(above: Int)
    /// The ECU answers this many PIDs, and ignores the rest.
    case first(Int)

    /// Returns the answered PIDs among the requested ones.
    func answered(of pids: [UInt8]) -> [UInt8] {
        switch self {
        case .silence(let limit): pids.count <= limit ? pids : []
        case .first(let limit): Array(pids.prefix(max(1, limit)))
        }
    }
}
