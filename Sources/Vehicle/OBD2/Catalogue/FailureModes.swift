// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension FMI {
    /// The kind of fault in our words, as a phrase after the parameter's name (SAE J1939-73, appendix A).
    package var meaning: String {
        switch self.rawValue {
        case 0: "far above its normal range"
        case 1: "far below its normal range"
        case 2: "erratic, intermittent or incorrect"
        case 3: "voltage too high, or shorted to supply"
        case 4: "voltage too low, or shorted to ground"
        case 5: "current too low, or circuit open"
        case 6: "current too high, or shorted to ground"
        case 7: "mechanical system does not respond or is out of adjustment"
        case 8: "abnormal frequency, pulse width or period"
        case 9: "abnormal update rate"
        case 10: "abnormal rate of change"
        case 11: "cause not known"
        case 12: "bad device or component"
        case 13: "out of calibration"
        case 14: "special instructions of the maker"
        case 15: "slightly above its normal range"
        case 16: "above its normal range"
        case 17: "slightly below its normal range"
        case 18: "below its normal range"
        case 19: "error in data received over the network"
        case 20: "drifted high"
        case 21: "drifted low"
        case 31: "condition exists"
        default: "reserved failure mode \(self)"
        }
    }
}
