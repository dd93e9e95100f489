// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A request to one ECU for the vehicle's VIN, for vehicles that do not report it by service 09.
package struct VINRequest: Hashable, Sendable {
    /// The place of the VIN in an ECU.
    package enum Form: CaseIterable, Hashable, Sendable {
        /// The data identifier F190 of service 22 (ISO 14229-1, C.1: vINDataIdentifier).
        case dataIdentifier
        /// The local identifier 81 of service 21, as Nissan's ECUs have it (ISO 14230-3 leaves these to the maker).
        case localIdentifier

        fileprivate var payload: [UInt8] {
            switch self {
            case .dataIdentifier: [0x22, 0xF1, 0x90]
            case .localIdentifier: [0x21, 0x81]
            }
        }
    }

    package let form: Form
    package let request: CustomRequest

    /// Creates the request; nil if it does not fit into a frame to this destination.
    package init?(_ form: Form, to destination: Destination) {
        guard let request = try? CustomRequest(payload: form.payload, destination: destination) else { return nil }
        self.form = form
        self.request = request
    }

    /// Returns the VIN in a positive reply.
    ///
    /// - Throws: `.notProgrammed` if the reply has only padding, `.invalidVIN`.
    package func vin(in message: [UInt8]) throws(DecodingError) -> VIN {
        try VehicleInformation.vin(padded: Array(message.dropFirst(1 + self.request.echo.count)))
    }
}
