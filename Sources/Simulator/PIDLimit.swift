// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// How many PIDs of one request for live data an ECU takes; SAE J1979 wants six.
package enum PIDLimit: Hashable, Sendable {
    /// It says nothing to more.
    case silence(above: Int)
    /// It answers the first ones, and not the rest.
    case first(Int)

    /// The PIDs that are answered, of those that are asked for.
    func taken(of pids: [UInt8]) -> [UInt8] {
        switch self {
        case .silence(let limit): pids.count <= limit ? pids : []
        case .first(let limit): Array(pids.prefix(max(1, limit)))
        }
    }
}
