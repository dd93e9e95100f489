// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import OBD2
import Session
import Testing

@Suite("The requests that find a vehicle")
struct SearchRequestsTests {
    private static func request(_ header: UInt16, _ data: UInt8) throws -> CustomRequest {
        let destination = try #require(Destination(header: .can11(header)))
        return try CustomRequest(payload: [0x22, 0x01, data], destination: destination)
    }

    @Test("Of the models' requests one is sent to each ECU, the ECUs of most models first, and none to other addresses")
    func models() throws {
        let (battery, drive) = (try Self.request(0x7E4, 1), try Self.request(0x7E2, 1))
        let search = ModelSearch(
            makes: ["Acme"],
            year: nil,
            candidates: [
                ModelCandidate(model: "One", requests: [drive, battery, try Self.request(0x7E4, 2)]),
                ModelCandidate(model: "Two", requests: [battery, try Self.request(0x7E5, 1)]),
                ModelCandidate(model: "Three", requests: [try Self.request(0x7E5, 1), battery]),
                ModelCandidate(model: "Four", requests: [try Self.request(0x123, 1)]),
            ]
        )
        let requests = SearchRequests(search).busRequests
        #expect(requests.map(\.payload) == [[0x22, 1, 1], [0x22, 1, 1], [0x22, 1, 1]])
        #expect(requests.map { $0.addressing?.header } == [0x7E4, 0x7E5, 0x7E2].map { Addressing.Header.can11($0) })
    }
}
