// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import MQTT
import Testing

@Suite("Falling back to MQTT 3.1.1")
struct VersionFallbackTests {
    @Test("After return code 1, all further connections use 3.1.1")
    func refused() {
        var fallback = VersionFallback()
        #expect(fallback.version == .v5)
        fallback.ended(.refused(.unsupportedVersion))
        #expect(fallback.version == .v311)
        fallback.connected()
        fallback.ended(.connectionLost("x"))
        #expect(fallback.version == .v311)
    }

    @Test("After two connections closed without an answer, one connection uses 3.1.1")
    func unanswered() {
        var fallback = VersionFallback()
        fallback.ended(.closedUnanswered("x"))
        #expect(fallback.version == .v5)
        fallback.ended(.closedUnanswered("x"))
        #expect(fallback.version == .v311)
        fallback.connected()
        fallback.ended(.connectionLost("x"))
        #expect(fallback.version == .v5)
    }

    @Test("After two CONNACKs that MQTT 5 does not allow, one connection uses 3.1.1")
    func malformed() {
        var fallback = VersionFallback()
        fallback.ended(.malformed("x"))
        #expect(fallback.version == .v5)
        fallback.ended(.malformed("x"))
        #expect(fallback.version == .v311)
    }

    @Test("A successful connection in between restarts the count")
    func between() {
        var fallback = VersionFallback()
        fallback.ended(.closedUnanswered("x"))
        fallback.connected()
        fallback.ended(.connectionLost("x"))
        fallback.ended(.closedUnanswered("x"))
        #expect(fallback.version == .v5)
    }

    @Test(
        "No other error causes the fallback",
        arguments: [
            MQTTError.cannotConnect(host: "h", port: 1, .refused), .tls("x"), .refused(.badCredentials),
            .refused(.serverBusy), .connectionLost("x"), .closed, .closedByBroker(code: 0x8B, reason: "x"),
        ]
    )
    func other(error: MQTTError) {
        var fallback = VersionFallback()
        for _ in 0..<3 { fallback.ended(error) }
        #expect(fallback.version == .v5)
    }

    @Test("If the broker refuses 3.1.1 as well, the next connection uses 5 again")
    func refusesBoth() {
        var fallback = VersionFallback()
        fallback.ended(.refused(.unsupportedVersion))
        fallback.ended(.refused(.unsupportedVersion))
        #expect(fallback.version == .v5)
    }

    @Test("Wrong credentials need a person, a busy broker does not")
    func human() {
        #expect(MQTTError.refused(.badCredentials).needsHuman)
        #expect(MQTTError.refused(.notAuthorized).needsHuman)
        #expect(!MQTTError.refused(.serverBusy).needsHuman)
        #expect(!MQTTError.tls("certificate is not yet valid").needsHuman)
        #expect(MQTTError.refused(.badCredentials).description.contains("password"))
    }
}
