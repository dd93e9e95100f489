// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("Vehicle identification numbers")
struct VINTests {
    @Test(
        "The check digit is checked only in regions that require it",
        arguments: [
            ("1HGCM82633A004352", .correct), ("11111111111111111", nil), ("1M8GDM9AXKP042788", .correct),
            ("5GZCZ43D13S812715", .correct), ("1HGCM82633A004353", .wrong), ("1D4GP00R55B123456", .wrong),
            ("LSVAA49J132047371", .correct), ("LSVAA49J232047371", .wrong), ("WVWZZZ1JZ3W386752", .notDemanded),
            ("ZZZSMVLATR4700893", .notDemanded), ("JHMCM56557C404453", .notDemanded),
        ] as [(String, VIN.CheckDigit?)]
    )
    func checkDigit(text: String, result: VIN.CheckDigit?) {
        #expect(VIN(text)?.checkDigit == result)
    }

    @Test("The check digit detects nearly every wrong character")
    func noticed() throws {
        let bytes = Array("1M8GDM9AXKP042788".utf8)
        var unnoticed = 0
        for index in bytes.indices.dropFirst() {
            for other in "0123456789ABCDEFGHJKLMNPRSTUVWXYZ".utf8 where other != bytes[index] {
                var damaged = bytes
                damaged[index] = other
                let vin = try #require(VIN(String(decoding: damaged, as: UTF8.self)))
                if vin.checkDigit == .correct { unnoticed += 1 }
            }
        }
        // About one in eleven characters has the same value as the right one.
        #expect(unnoticed < 16 * 32 / 8)
    }
}
