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
        let isKept = fallback.connected()
        #expect(isKept)
        fallback.ended(.connectionLost("x"))
        #expect(fallback.version == .v311)
    }

    @Test("A broker that closes two connections unanswered, and then accepts 3.1.1, is asked for 5 once more")
    func unanswered() {
        var fallback = VersionFallback()
        fallback.ended(.closedUnanswered("x"))
        #expect(fallback.version == .v5)
        fallback.ended(.closedUnanswered("x"))
        #expect(fallback.version == .v311)
        let isKept = fallback.connected()
        #expect(!isKept)
        #expect(fallback.version == .v5)
        // The closed connection, and one that was not made.
        fallback.ended(.closed)
        fallback.ended(.cannotConnect(host: "h", port: 1, .refused))
        #expect(fallback.version == .v5)
    }

    @Test("An old broker that closes the connection again keeps 3.1.1, until it does not accept that any more")
    func old() {
        var fallback = Self.verifying
        fallback.ended(.closedUnanswered("x"))
        for _ in 0..<3 {
            #expect(fallback.version == .v311)
            let isKept = fallback.connected()
            #expect(isKept)
            fallback.ended(.connectionLost("x"))
        }
        fallback.ended(.closedUnanswered("x"))
        #expect(fallback.version == .v5)
    }

    @Test("A broker that was only restarted keeps MQTT 5")
    func restarted() {
        var fallback = Self.verifying
        let isKept = fallback.connected()
        #expect(isKept)
        #expect(fallback.version == .v5)
        fallback.ended(.closedUnanswered("x"))
        #expect(fallback.version == .v5)
    }

    /// After a broker has closed two connections unanswered, and accepted 3.1.1.
    private static var verifying: VersionFallback {
        var fallback = VersionFallback()
        for _ in 0..<2 { fallback.ended(.closedUnanswered("x")) }
        _ = fallback.connected()
        fallback.ended(.closed)
        return fallback
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
        _ = fallback.connected()
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
