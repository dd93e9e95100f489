// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Contract

@Suite("Tracks as text")
struct EncodedPolylineTests {
    private typealias Point = EncodedPolyline.Point

    @Test("The example of the format's description")
    func example() {
        let points = [
            Point(degreesNorth: 38.5, degreesEast: -120.2), Point(degreesNorth: 40.7, degreesEast: -120.95),
            Point(degreesNorth: 43.252, degreesEast: -126.453),
        ]
        #expect(EncodedPolyline.text(of: points) == "_p~iF~ps|U_ulLnnqC_mqNvxq`@")
        #expect(EncodedPolyline.points(of: "_p~iF~ps|U_ulLnnqC_mqNvxq`@") == points)
    }

    @Test("The ends of the Earth come back, in any order")
    func ends() {
        let points = [(90.0, 180.0), (-90, -180), (90, -180), (-90, 180), (0, 0), (-0.00001, 0.00001)].map {
            Point(degreesNorth: $0, degreesEast: $1)
        }
        #expect(EncodedPolyline.points(of: EncodedPolyline.text(of: points)) == points)
    }

    @Test(
        "Numbers that are no degrees become the nearest, and never trap",
        arguments: [1e300, -1e300, .infinity, .nan]
    )
    func absurd(degrees: Double) {
        let point = Point(degreesNorth: degrees, degreesEast: degrees)
        #expect(point.latitude.magnitude == 9_000_000)
        #expect(point.longitude.magnitude == 18_000_000)
    }

    @Test(
        "A text that is no line is none",
        arguments: ["_", "_p~iF", "ä", "_p~iF~ps|", "~~~~~~~?~~~~~~~?", "_p~iF ps|U"]
    )
    func malformed(text: String) {
        #expect(EncodedPolyline.points(of: text) == nil)
    }

    @Test("A track in a record comes back with its times")
    func track() throws {
        let json = try #require(
            try? JSON(
                parsing: Array(
                    #"{"series":{},"track":{"dt":[-40,30,90],"gaps":[2],"polyline":"_p~iF~ps|U_ulLnnqC_mqNvxq`@"}}"#
                        .utf8
                ),
                depthLimit: 8
            )
        )
        let start = Timestamp(milliseconds: 1_795_255_200_000)
        let points = try #require(Telemetry(json)?.track?.points(from: start))
        #expect(points.map { $0.time - start } == [.seconds(-40), .seconds(-10), .seconds(80)])
        #expect(points.map(\.followsGap) == [false, false, true])
        #expect(points[1].latitude == 40.7)
        #expect(points[1].longitude == -120.95)
    }

    @Test("A track whose parts do not fit together has no points")
    func unfit() {
        let start = Timestamp(milliseconds: 0)
        #expect(Telemetry.Track(dt: [1], polyline: "_p~iF~ps|U_ulLnnqC").points(from: start) == nil)
        #expect(Telemetry.Track(dt: [.max, .max], polyline: "????").points(from: start) == nil)
        #expect(Telemetry.Track(dt: [1, 1], polyline: "????", gaps: [7, -1]).points(from: start)?.count == 2)
    }
}
