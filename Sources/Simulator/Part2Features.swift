// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// The features of the ECUs of a vehicle of SAE J1979-2.
package struct Part2Features: Sendable {
    /// The ECUs that do not support services 19 42 and 19 55, against the standard.
    package var ecusWithoutGroups: Set<ECU> = []
    /// The ECUs that do not support service 19 02.
    package var ecusWithoutStatus: Set<ECU> = []
    /// The failure types (third bytes) of codes; a code without an entry has 00.
    package var failureTypes: [DTC: UInt8] = [:]
    /// The severity of all codes: class B1 without an action, unless changed.
    package var severity = CodeSeverity(rawValue: 0x04)
    /// Whether the ECUs have the readiness as identifier F501, as the standard requires, instead of PID 01.
    package var hasReadiness = true

    /// Whether an ECU supports this function of service 19.
    func supports(_ function: UInt8, _ ecu: ECU) -> Bool {
        switch function {
        case 0x02: !self.ecusWithoutStatus.contains(ecu)
        default: !self.ecusWithoutGroups.contains(ecu)
        }
    }

    /// Returns the code with its failure type and severity, as an ECU reports it.
    func record(_ code: DTC, _ status: CodeStatus) -> CodeRecord {
        CodeRecord(
            .j2012Failure(code, type: self.failureTypes[code] ?? 0),
            status: status,
            severity: self.severity
        )
    }

    /// Returns the readiness with the monitors of identifier F501 instead of those of PID 01.
    func readiness(_ status: MonitorStatus) -> MonitorStatus {
        func translated(_ monitors: Set<Monitor>) -> Set<Monitor> {
            monitors.reduce(into: []) { result, monitor in
                switch monitor {
                case .oxygenSensor: result.insert(.exhaustGasSensor)
                case .oxygenSensorHeater: break
                case .exhaustGasRecirculation: result.formUnion([.recirculation, .variableValves])
                case .evaporativeSystem: result.formUnion([.evaporativeSystem, .crankcaseVentilation])
                case .components: result.formUnion([.components, .engineCooling, .coldStart])
                default: result.insert(monitor)
                }
            }
        }
        return MonitorStatus(
            mil: status.mil,
            codeCount: status.codeCount,
            ignition: nil,
            supported: translated(status.supported),
            incomplete: translated(status.incomplete)
        )
    }
}
