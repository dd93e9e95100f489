// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AdapterLink

@Suite("Errors of a link")
struct LinkErrorTests {
    @Test("Every error describes its cause")
    func descriptions() {
        let error = LinkError.cannotOpen(address: "tcp:192.0.2.1:35000", reason: "Connection refused")
        #expect(error.description == "cannot open tcp:192.0.2.1:35000: Connection refused")
        #expect(LinkError.lost("Input/output error").description == "the link was lost: Input/output error")
    }
}
