// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// An item of vehicle information of service 09 (SAE J1979, InfoType).
///
/// The numbers of messages exist on the buses before CAN only: each is about the next item.
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
    case engineSerialNumberMessageCount = 0x0C
    case engineSerialNumber = 0x0D
    case typeApprovalNumberMessageCount = 0x0E
    case typeApprovalNumber = 0x0F

    /// The InfoType for the number of this item's messages on the buses before CAN; nil if there is none.
    package var messageCount: InfoType? {
        switch self {
        case .vin: .vinMessageCount
        case .calibrationIDs: .calibrationIDMessageCount
        case .calibrationVerificationNumbers: .calibrationVerificationNumberMessageCount
        case .sparkPerformance: .sparkPerformanceMessageCount
        case .ecuName: .ecuNameMessageCount
        case .engineSerialNumber: .engineSerialNumberMessageCount
        case .typeApprovalNumber: .typeApprovalNumberMessageCount
        default: nil
        }
    }
}
