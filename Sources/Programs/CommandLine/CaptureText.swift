// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// A capture as a row of a list.
package enum CaptureText {
    /// Returns the cells of a row.
    package static func row(_ number: Int, _ capture: CaptureReport, at moment: Timestamp) -> [String] {
        let ending = capture.ended == .complete ? "" : " (\(capture.ended.text))"
        return [
            "\(number)", "\(moment)", capture.rule, "\(Self.seconds(capture.before)) s",
            "\(Self.seconds(capture.after)) s", "\(capture.count)", capture.summary + ending,
        ]
    }

    private static func seconds(_ seconds: Double) -> String { JSON.number((seconds * 10).rounded() / 10).text }
}

extension CaptureReport.Ending {
    /// The ending in words.
    fileprivate var text: String {
        switch self {
        case .complete: "complete"
        case .linkLost: "the link was lost"
        case .parked: "the vehicle was parked"
        case .vehicleChanged: "another vehicle was connected"
        case .stopped: "the agent stopped"
        case .interrupted: "the agent was interrupted"
        }
    }
}
