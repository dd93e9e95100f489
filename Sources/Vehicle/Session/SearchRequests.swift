// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2

/// The requests that find and identify a vehicle whose ECUs answer no standard request: one for each ECU.
///
/// They are requests of the custom parameters that are selected or have a role. Those that show the use of the vehicle
/// come first.
package struct SearchRequests: Sendable {
    /// The number of ECUs that are asked, so that a search ends within seconds and a sleeping vehicle gets few requests.
    private static let limit = 6

    private let requests: [CustomRequest]
    /// The requests that show a charge, in which only some ECUs of a vehicle with standard services may answer.
    private let chargingRequests: [CustomRequest]

    /// - Parameters:
    ///   - selected: the selected parameters; nil stands for all of them.
    ///   - refusals: the destinations that the adapter cannot address.
    package init(
        _ parameters: some Sequence<CustomParameter>,
        selected: Set<ParameterKey>?,
        refusals: Set<Destination> = []
    ) {
        let candidates = parameters.filter { parameter in
            let isSelected = selected?.contains(.custom(parameter.name)) ?? true
            let isRefused = parameter.request.destination.map(refusals.contains) ?? false
            return (isSelected || parameter.role != nil) && !isRefused
        }
        let inOrder = candidates.sorted { left, right in
            left.showsUse == right.showsUse ? left.request < right.request : left.showsUse
        }
        self.requests = Self.onePerECU(inOrder.map(\.request))
        self.chargingRequests = Self.onePerECU(inOrder.filter { $0.role == .charging }.map(\.request))
    }

    private static func onePerECU(_ requests: [CustomRequest]) -> [CustomRequest] {
        var destinations: Set<Destination?> = []
        return requests.filter { destinations.insert($0.destination).inserted }
    }

    package var busRequests: [BusRequest] { self.requests.prefix(Self.limit).map { BusRequest($0) } }
    /// The requests to a vehicle that is known to have standard services.
    var chargingBusRequests: [BusRequest] { self.chargingRequests.prefix(Self.limit).map { BusRequest($0) } }

    /// Returns the requests for the VIN, in order.
    ///
    /// - Parameter ecus: the ECUs to ask; nil stands for all on this bus.
    func vinRequests(on bus: BusProtocol, ecus: Set<ECUAddress>?) -> [VINRequest] {
        let destinations = self.requests.compactMap(\.destination).filter { destination in
            guard destination.fits(isCAN: bus.isCAN, hasExtendedIdentifiers: bus.hasExtendedIdentifiers) else {
                return false
            }
            return ecus?.contains(Addressing(destination).responder) ?? true
        }
        return destinations.prefix(Self.limit).flatMap { destination in
            VINRequest.Form.allCases.compactMap { VINRequest($0, to: destination) }
        }
    }
}
