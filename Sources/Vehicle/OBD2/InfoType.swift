// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What service 09 can be asked for (SAE J1979, InfoType).
///
/// The odd ones up to 09 tell how many messages the next one needs; they exist on the buses before CAN only.
package enum InfoType: UInt8, Sendable, Hashable, CaseIterable {
    case supported = 0x00
    case vinMessageCount = 0x01
    case vin = 0x02
    case calibrationIDMessageCount = 0x03
    case calibrationIDs = 0x04
    case calibrationVerificationNumberMessageCount = 0x05
    case calibrationVerificationNumbers = 0x06
    case sparkPerformanceMessageCount = 0x07
    case sparkPerformance = 0x08
    case ecuNameMessageCount = 0x09
    case ecuName = 0x0A
    case compressionPerformance = 0x0B
    case engineSerialNumber = 0x0C
    case typeApprovalNumber = 0x0D

    /// The InfoType that tells how many messages this one needs, on the buses before CAN.
    package var messageCount: InfoType? {
        switch self {
        case .vin: .vinMessageCount
        case .calibrationIDs: .calibrationIDMessageCount
        case .calibrationVerificationNumbers: .calibrationVerificationNumberMessageCount
        case .sparkPerformance: .sparkPerformanceMessageCount
        case .ecuName: .ecuNameMessageCount
        default: nil
        }
    }
}
