// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The conventions of one ECU for the data of services 01 and 02, which some of its PIDs show.
package struct ECUConventions: Hashable, Sendable {
    package let oxygenSensors: OxygenSensorLayout
    package let scaling: Scaling

    package static let standard = ECUConventions(oxygenSensors: .twoBanks, scaling: .standard)

    package init(oxygenSensors: OxygenSensorLayout, scaling: Scaling) {
        self.oxygenSensors = oxygenSensors
        self.scaling = scaling
    }

    /// Returns the parameter whose data the ECU sends with `pid`; nil if the PID is unknown.
    package func parameter(of pid: PID) -> Parameter? {
        let place = self.oxygenSensors.counterpart(of: pid)
        return (self.oxygenSensors == .fourBanks ? Parameter.ofFourBanks(place) : nil) ?? Parameter.withPID(place)
    }

    /// Returns the name of the parameter whose data the ECU sends with `pid`.
    package func parameterName(of pid: PID) -> String {
        self.parameter(of: pid)?.name ?? ParameterKey.pid(pid).name
    }

    /// Returns the values in the data of one reply.
    ///
    /// A value whose scale is not known yet is left out.
    ///
    /// - Throws: `.unknownPID`, `.wrongLength`.
    package func decode(_ data: [UInt8], of pid: PID) throws(DecodingError) -> [FieldValue] {
        guard let parameter = self.parameter(of: pid) else { throw .unknownPID(pid) }
        var values: [FieldValue] = []
        try parameter.decode(data.span, scaling: self.scaling) { values.append($0) }
        return values
    }
}
