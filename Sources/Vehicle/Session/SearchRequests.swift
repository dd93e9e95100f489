// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2

/// The requests that find and identify a vehicle whose ECUs answer no standard request: one for each ECU.
///
/// The requests are those of the custom parameters that the configuration selects, or that have a role. Those that show
/// the use of the vehicle come first. A detection of the model uses the requests of the models instead.
package struct SearchRequests: Sendable {
    private let requests: [CustomRequest]
    /// The requests that show a charge, in which only some ECUs of a vehicle with standard services may answer.
    private let chargingRequests: [CustomRequest]

    /// - Parameters:
    ///   - searched: the parameters without a role that count; nil stands for all of them.
    ///   - refusals: the destinations that the adapter cannot address.
    package init(
        _ parameters: some Sequence<CustomParameter>,
        searched: Set<ParameterKey>?,
        refusals: Set<Destination> = []
    ) {
        typealias Candidate = (parameter: CustomParameter, request: CustomRequest)
        let candidates = parameters.compactMap { parameter -> Candidate? in
            let isSearched = parameter.role != nil || searched?.contains(.custom(parameter.name)) ?? true
            guard isSearched, let request = parameter.request else { return nil }
            guard let destination = request.destination else { return (parameter, request) }
            // An unknown vehicle gets diagnostic requests only.
            return destination.header.isDiagnostic && !refusals.contains(destination) ? (parameter, request) : nil
        }
        let inOrder = candidates.sorted { left, right in
            left.parameter.showsUse == right.parameter.showsUse
                ? left.request < right.request : left.parameter.showsUse
        }
        self.requests = Self.onePerECU(inOrder.map(\.request))
        self.chargingRequests = Self.onePerECU(inOrder.filter { $0.parameter.role == .charging }.map(\.request))
    }

    /// Creates the requests for a vehicle of an unknown model.
    ///
    /// First come so many ECUs that each model has one of them, those of the most models before others: the search ends
    /// after some requests without an answer.
    package init(_ search: ModelSearch) {
        var models = search.candidates.map { candidate in
            Dictionary(
                candidate.requests.filter { $0.destination?.header.isDiagnostic == true }.map { ($0.destination, $0) },
                uniquingKeysWith: min
            )
        }
        let all = Self.inOrder(models)
        var first: [CustomRequest] = []
        while let next = Self.inOrder(models).first {
            first.append(next)
            models.removeAll { $0[next.destination] != nil }
        }
        self.requests = Self.onePerECU(first + all)
        self.chargingRequests = []
    }

    /// Returns the requests, those to the ECUs of the most models first.
    private static func inOrder(_ models: [[Destination?: CustomRequest]]) -> [CustomRequest] {
        let counts = Dictionary(models.flatMap(\.keys).map { ($0, 1) }, uniquingKeysWith: +)
        return models.flatMap(\.values).map { (models: counts[$0.destination] ?? 0, request: $0) }
            .sorted { ($1.models, $0.request) < ($0.models, $1.request) }
            .map(\.request)
    }

    private static func onePerECU(_ requests: [CustomRequest]) -> [CustomRequest] {
        var destinations: Set<Destination?> = []
        return requests.filter { destinations.insert($0.destination).inserted }
    }

    package var busRequests: [BusRequest] { self.requests.map { BusRequest($0) } }
    /// The requests to a vehicle that is known to have standard services.
    var chargingBusRequests: [BusRequest] { self.chargingRequests.map { BusRequest($0) } }

    /// Returns the requests for the VIN, in order.
    func vinRequests(on bus: BusProtocol) -> [VINRequest] {
        let destinations = self.requests.compactMap(\.destination).filter {
            $0.fits(isCAN: bus.isCAN, hasExtendedIdentifiers: bus.hasExtendedIdentifiers)
        }
        return destinations.prefix(StartUp.requestLimit).flatMap { destination in
            VINRequest.Form.allCases.compactMap { VINRequest($0, to: destination) }
        }
    }
}
