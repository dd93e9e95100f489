// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("The combustion vehicle")
struct CombustionTests {
    @Test("Every byte and every time through an adapter is what it was before there were other vehicles")
    func unchanged() {
        var digest = CombustionDigest()
        digest.addVehicles()
        #expect(digest.value == 3_558_875_920_775_632_495)
    }
}
