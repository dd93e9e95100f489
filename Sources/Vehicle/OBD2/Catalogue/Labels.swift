// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The enumerations of SAE J1979.
///
/// A code without a label is reserved, or sources differ about its meaning.
enum Labels {
    /// The labels of PID 03, in which one bit is set.
    static let fuelSystemStatus: [Int: String] = [
        0x00: "off",
        0x01: "open loop, cold",
        0x02: "closed loop",
        0x04: "open loop, load or deceleration",
        0x08: "open loop, system fault",
        0x10: "closed loop, sensor fault",
    ]

    /// The labels of PID 12, in which one bit is set.
    static let secondaryAir: [Int: String] = [
        0x01: "upstream of catalyst",
        0x02: "downstream of catalyst inlet",
        0x04: "from outside or off",
        0x08: "pump on for diagnosis",
    ]

    /// The labels of PID 1C; editions of the standard differ about 14 to 16.
    static let obdStandard: [Int: String] = [
        1: "OBD-II (California ARB)",
        2: "OBD (US EPA)",
        3: "OBD and OBD-II",
        4: "OBD-I",
        5: "none",
        6: "EOBD",
        7: "EOBD and OBD-II",
        8: "EOBD and OBD",
        9: "EOBD, OBD and OBD-II",
        10: "JOBD",
        11: "JOBD and OBD-II",
        12: "JOBD and EOBD",
        13: "JOBD, EOBD and OBD-II",
        17: "EMD",
        18: "EMD+",
        19: "HD OBD-C",
        20: "HD OBD",
        21: "WWH-OBD",
        23: "HD EOBD stage I without NOx control",
        24: "HD EOBD stage I with NOx control",
        25: "HD EOBD stage II without NOx control",
        26: "HD EOBD stage II with NOx control",
        27: "HD ZEV",
        28: "OBD Brazil phase 1",
        29: "OBD Brazil phase 2",
        30: "KOBD",
        31: "India OBD I",
        32: "India OBD II",
        33: "HD EOBD stage VI",
        34: "OBD, OBD-II and HD OBD",
        35: "OBD Brazil phase 3",
    ]

    /// The labels of PID 51.
    static let fuelType: [Int: String] = [
        0: "not available",
        1: "gasoline",
        2: "methanol",
        3: "ethanol",
        4: "diesel",
        5: "LPG",
        6: "CNG",
        7: "propane",
        8: "electric",
        9: "bi-fuel running gasoline",
        10: "bi-fuel running methanol",
        11: "bi-fuel running ethanol",
        12: "bi-fuel running LPG",
        13: "bi-fuel running CNG",
        14: "bi-fuel running propane",
        15: "bi-fuel running electricity",
        16: "bi-fuel running electric and combustion",
        17: "hybrid gasoline",
        18: "hybrid ethanol",
        19: "hybrid diesel",
        20: "hybrid electric",
        21: "hybrid electric and combustion",
        22: "hybrid regenerative",
        23: "bi-fuel diesel",
        24: "bi-fuel running natural gas",
        25: "bi-fuel running diesel",
        26: "natural gas",
        27: "dual fuel diesel and CNG",
        28: "dual fuel diesel and LNG",
        29: "hydrogen fuel cell",
        30: "hydrogen combustion",
    ]

    /// The labels of PID 5F.
    static let emissionRequirements: [Int: String] = [
        14: "heavy duty Euro IV (B1)",
        15: "heavy duty Euro V (B2)",
        16: "heavy duty Euro EEV (C)",
        17: "heavy duty Euro VI",
    ]

    /// The labels of the control status in PIDs 70 and 71.
    static let controlStatus: [Int: String] = [
        1: "open loop",
        2: "closed loop",
        3: "fault",
    ]

    /// The labels of the levels of inducement in PID 94.
    static let inducementLevel: [Int: String] = [
        0: "inactive",
        1: "enabled",
        2: "active",
        3: "not supported",
    ]

    /// The labels of the modes in PID 9A.
    static let chargeMode: [Int: String] = [
        0: "charge sustaining",
        1: "charge depleting",
        2: "charge increasing",
    ]

    /// The names of the bits of PID 13, bit 0 first.
    static let sensorsOfTwoBanks = ["B1S1", "B1S2", "B1S3", "B1S4", "B2S1", "B2S2", "B2S3", "B2S4"]

    /// The names of the bits of PID 1D, bit 0 first.
    static let sensorsOfFourBanks = ["B1S1", "B1S2", "B2S1", "B2S2", "B3S1", "B3S2", "B4S1", "B4S2"]
}
