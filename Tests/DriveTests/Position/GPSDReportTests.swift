// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Drive

@Suite("Lines of gpsd")
struct GPSDReportTests {
    private static let now = MonotonicTime.zero + .seconds(5)

    private func report(_ text: String) -> GPSDReport? { GPSDReport(Array(text.utf8), at: Self.now) }

    private func fix(_ members: String) -> Fix? {
        guard case .fix(let fix) = self.report(#"{"class":"TPV","mode":3,"lat":52.5,"lon":13.4\#(members)}"#) else {
            return nil
        }
        return fix
    }

    @Test("The lines of gpsd 3.22 are read")
    func lines() {
        #expect(
            self.report(#"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#)
                == .version(release: "3.22")
        )
        #expect(
            self.report(
                #"{"class":"TPV","device":"/dev/pts/1","mode":3,"time":"2026-11-21T10:00:01.000Z","ept":0.005,"#
                    + #""lat":52.500000000,"lon":13.400226667,"altHAE":80.0000,"altMSL":35.0000,"alt":35.0000,"#
                    + #""epv":32.200,"track":90.0000,"magtrack":94.0563,"magvar":4.1,"speed":15.433,"climb":0.000,"#
                    + #""epc":64.40,"geoidSep":45.000,"eph":20.900,"sep":34.200}"#
            )
                == .fix(
                    Fix(
                        .at(52.5, 13.400226667),
                        accuracy: 20.9,
                        speed: 15.433,
                        heading: 90,
                        altitude: 35,
                        receiverTime: Timestamp("2026-11-21T10:00:01.000Z"),
                        at: Self.now
                    )
                )
        )
        #expect(self.report(#"{"class":"TPV","device":"/dev/pts/1","mode":1}"#) == .noFix)
        #expect(self.report(#"{"class":"ERROR","message":"Unrecognized request"}"#) == .error("Unrecognized request"))
        for line in [
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/pts/1","bps":4800}]}"#,
            #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0}"#,
            #"{"class":"SKY","satellites":[{"PRN":1,"used":true},{"PRN":2,"used":false}]}"#,
            #"{"class":"PPS","device":"/dev/pps0"}"#,
        ] {
            #expect(self.report(line) == .other)
        }
    }

    @Test(
        "A line that is no report is none",
        arguments: [
            "", "{", "null", "[]", "5", "{}", #"{"class":5}"#, "$GPRMC,100000.000,A,5230.0000,N",
            #"{"class":"TPV","mode":3}"#, #"{"class":"TPV","mode":3,"lat":95,"lon":13}"#,
            #"{"class":"TPV","mode":3,"lat":"52.5","lon":13}"#, #"{"class":"TPV","mode":7,"lat":52.5,"lon":13}"#,
            #"{"class":"TPV","mode":3.5,"lat":52.5,"lon":13}"#, #"{"class":"TPV","mode":3,"lat":1e999,"lon":13}"#,
            #"{"class":"TPV","mode":3,"lat":nan,"lon":13}"#, #"{"class":"TPV","class":"TPV"}"#,
            #"{"class":"TPV","a":[[[[[[[[[]]]]]]]]]}"#,
        ]
    )
    func malformed(line: String) {
        #expect(self.report(line) == nil)
    }

    @Test("An implausible member counts as missing, and the rest of the fix is read")
    func implausible() {
        let fix = self.fix(#","speed":5000,"track":400,"altMSL":1e9,"eph":-3,"time":"yesterday""#)
        #expect(fix == Fix(.at(52.5, 13.4), at: Self.now))
    }

    @Test("The error is that of both axes if gpsd tells none for the plane")
    func accuracy() {
        #expect(self.fix(#","epx":3.0,"epy":4.0"#)?.accuracy == 5)
        #expect(self.fix(#","epx":3.0"#)?.accuracy == nil)
        #expect(self.fix(#","eph":7,"epx":3.0,"epy":4.0"#)?.accuracy == 7)
    }

    @Test("A fix of two dimensions has no altitude")
    func twoDimensions() {
        let report = self.report(#"{"class":"TPV","mode":2,"lat":52.5,"lon":13.4,"alt":99.0}"#)
        #expect(report == .fix(Fix(.at(52.5, 13.4), .two, at: Self.now)))
    }
}
