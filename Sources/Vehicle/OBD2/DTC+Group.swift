// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension DTC {
    /// The component group of a code, by which lists of codes are sorted.
    package enum Group: String, CaseIterable, Hashable, Comparable, Sendable {
        case fuelAndAir = "fuel_and_air"
        case ignition
        case emissionControls = "emission_controls"
        case speedAndIdle = "speed_and_idle"
        case computer
        case transmission
        case hybridPropulsion = "hybrid_propulsion"
        case cylinderDeactivation = "cylinder_deactivation"
        case brakesAndTraction = "brakes_and_traction"
        case restraints
        case networkElectrical = "network_electrical"
        case networkCommunication = "network_communication"
        case networkSoftware = "network_software"
        case networkData = "network_data"
        case modulePower = "module_power"

        package static func < (left: Group, right: Group) -> Bool {
            left.order < right.order
        }

        private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        /// The heading of the group in lists for people.
        package var title: String {
            switch self {
            case .fuelAndAir: "fuel and air metering"
            case .ignition: "ignition or misfire"
            case .emissionControls: "auxiliary emission controls"
            case .speedAndIdle: "vehicle speed, idle control and auxiliary inputs"
            case .computer: "computer and outputs"
            case .transmission: "transmission"
            case .hybridPropulsion: "hybrid or electric propulsion"
            case .cylinderDeactivation: "cylinder deactivation"
            case .brakesAndTraction: "brakes and traction control"
            case .restraints: "restraints"
            case .networkElectrical: "electrical state of the network"
            case .networkCommunication: "communication"
            case .networkSoftware: "software compatibility"
            case .networkData: "data received"
            case .modulePower: "control modules and their supply"
            }
        }
    }

    /// The component group of the code's range (SAE J2012, tables of code groups); nil if the range has none.
    ///
    /// A manufacturer's range has the group that the standard recommends for it.
    package var group: Group? {
        let range = UInt8(truncatingIfNeeded: self.rawValue >> 8)
        return switch range {
        case 0x00...0x02, 0x10...0x12, 0x20...0x22, 0x2A...0x2B, 0x30...0x32: .fuelAndAir
        case 0x03, 0x13, 0x23, 0x33: .ignition
        case 0x04, 0x14, 0x24: .emissionControls
        case 0x05, 0x15, 0x25: .speedAndIdle
        case 0x06, 0x16, 0x26: .computer
        case 0x07...0x09, 0x17...0x19, 0x27...0x29: .transmission
        case 0x0A...0x0F: .hybridPropulsion
        case 0x34: .cylinderDeactivation
        case 0x40: .brakesAndTraction
        case 0x80: .restraints
        case 0xC0: .networkElectrical
        case 0xC1...0xC2: .networkCommunication
        case 0xC3: .networkSoftware
        case 0xC4...0xC5: .networkData
        case 0xF0: .modulePower
        default: nil
        }
    }
}
