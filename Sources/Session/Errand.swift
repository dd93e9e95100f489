// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2

/// Something that is asked once, besides the polling.
package enum Errand: Hashable, Sendable {
    /// The next bitmap of supported PIDs.
    case supportedPIDs(PID)
    case vin
    case calibrationIDs
    case calibrationVerificationNumbers
    case ecuName
    /// PID 01: MIL, code count, readiness.
    case monitorStatus
    case codes(CodeState)

    package var request: Request {
        switch self {
        case .supportedPIDs(let base): .currentData(base)
        case .vin: .vehicleInformation(.vin)
        case .calibrationIDs: .vehicleInformation(.calibrationIDs)
        case .calibrationVerificationNumbers: .vehicleInformation(.calibrationVerificationNumbers)
        case .ecuName: .vehicleInformation(.ecuName)
        case .monitorStatus: .currentData(0x01)
        case .codes(let state): state.request
        }
    }
}

extension BusRequest {
    /// A request of `OBD2` as the adapter's dialogue wants it.
    package init(_ request: Request, layout: MessageLayout) {
        let lengths: ClosedRange<Int>? =
            switch request.service {
            case .currentData where request.data.count == 1:
                request.pids.first.flatMap { Parameter.withPID($0)?.length }
                    .map { $0.lowerBound + 2...$0.upperBound + 2 }
            case .confirmedCodes, .pendingCodes, .permanentCodes:
                layout == .legacy ? 7...7 : nil
            default: nil
            }
        self.init(
            payload: request.payload,
            echo: request.echo,
            lengths: lengths,
            isSlow: request.service == .clearCodes || request.service == .vehicleInformation,
            isRepeatable: request.service != .clearCodes && request.service != .control
        )
    }
}
