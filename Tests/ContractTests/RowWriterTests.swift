// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Testing

@Suite("Row formats")
struct RowWriterTests {
    private static let cells: [JSON] = [
        .null, "", "plain", "a,b", "say \"so\"", "two\r\nlines", .integer(-7), .number(0.1), .number(3e20), true,
    ]

    @Test("CSV quotes as RFC 4180 demands; an empty text is quoted, a missing value is an empty field")
    func csv() {
        let writer = RowWriter(.csv, columns: ["a", "b,c"])
        #expect(writer.header == "a,\"b,c\"\r\n")
        #expect(
            writer.row(Self.cells)
                == ",\"\",plain,\"a,b\",\"say \"\"so\"\"\",\"two\r\nlines\",-7,0.1,3e+20,true\r\n"
        )
    }

    @Test("No text becomes a formula or a terminal command; a negative number stays a number")
    func strangers() {
        let cells: [JSON] = ["=HYPERLINK(\"http://x\")", .integer(-5), .number(-0.5), "\u{1B}[2J\u{9B}1m"]
        let columns = ["a", "b", "c", "d"]
        #expect(
            RowWriter(.csv, columns: columns).row(cells)
                == "\"'=HYPERLINK(\"\"http://x\"\")\",-5,-0.5,\u{FFFD}[2J\u{FFFD}1m\r\n"
        )
        let line = RowWriter(.jsonl, columns: columns).row(cells)
        #expect(line.hasSuffix(",\"d\":\"\\u001b[2J\\u009b1m\"}\n"))
    }

    @Test("JSON Lines are objects that every JSON parser reads")
    func jsonLines() throws {
        let columns = Self.cells.indices.map { "c\($0)\n" }
        let line = RowWriter(.jsonl, columns: columns).row(Self.cells)
        #expect(line.hasSuffix("}\n") && line.dropLast().allSatisfy { $0 != "\n" })
        let object = try JSON(parsing: Array(line.utf8), depthLimit: 2)
        var expected = Dictionary(uniqueKeysWithValues: zip(columns, Self.cells))
        expected["c0\n"] = nil
        #expect(object == .object(expected))
    }

    @Test(
        "JSON text is read back unchanged",
        arguments: [0, 1, 1.5, -0.001, 1e300, 812.5, 9_007_199_254_740_992] as [Double]
    )
    func numbers(number: Double) throws {
        #expect(try JSON(parsing: Array(JSON.number(number).text.utf8), depthLimit: 1).double == number)
        #expect(JSON.number(.nan).text == "null" && JSON.number(-.infinity).text == "null")
    }

    @Test("Every character survives", arguments: 0..<0x250 as Range<UInt32>)
    func characters(scalar: UInt32) throws {
        let text = try String(#require(Unicode.Scalar(scalar)))
        let json: JSON = ["k\(text)": .array([.string(text)])]
        #expect(try JSON(parsing: Array(json.text.utf8), depthLimit: 3) == json)
    }
}
