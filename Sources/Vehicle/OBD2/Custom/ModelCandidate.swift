// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A model that a vehicle may be, with the manufacturer's requests that vehicles of this model answer.
package struct ModelCandidate: Hashable, Sendable {
    /// The most requests that are taken from one model.
    package static let requestLimit = 2000
    /// The services that a detection asks, because they only read.
    private static let services: Set<UInt8> = [0x01, 0x21, 0x22]

    /// The model's name, such as `Kia EV6`.
    package let model: String
    /// The name of the signal set that the requests are from: the model's, or that of the make for a model without one.
    package let set: String
    /// The requests, each once.
    package let requests: [CustomRequest]

    /// Takes the requests that a detection may ask: reading ones at diagnostic addresses.
    ///
    /// - Parameter set: the name of the signal set; nil for that of the model.
    package init(model: String, set: String? = nil, requests: some Sequence<CustomRequest>) {
        self.model = model
        self.set = set ?? model
        var seen: Set<Key> = []
        let allowed = requests.lazy.filter { request in
            request.payload.first.map(Self.services.contains) ?? false
                && request.destination?.header.isDiagnostic ?? true && seen.insert(Key(request)).inserted
        }
        self.requests = Array(allowed.prefix(Self.requestLimit))
    }

    /// The part of a request that decides which ECU answers it.
    ///
    /// Signal sets describe the same request with different timeouts and flow control.
    struct Key: Hashable, Sendable {
        private let header: Destination.Header?
        private let extendedAddress: UInt8?
        private let payload: [UInt8]

        init(_ request: CustomRequest) {
            self.header = request.destination?.header
            self.extendedAddress = request.destination?.extendedAddress
            self.payload = request.payload
        }
    }
}
