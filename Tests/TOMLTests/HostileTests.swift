// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import TOML

@Suite struct HostileTests {
    /// A text that is repeated up to 1 MiB, between a start and an end.
    struct Flood: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var head = ""
        let unit: @Sendable (Int) -> String
        var tail = ""
        var isRead = true

        var text: [UInt8] {
            var text = Array(self.head.utf8)
            for index in 0... {
                let unit = self.unit(index).utf8
                guard text.count + unit.count + self.tail.utf8.count <= Document.maximumSize else { break }
                text += unit
            }
            return text + Array(self.tail.utf8)
        }
    }

    static let floods = [
        Flood(testDescription: "keys", unit: { "k\($0)=1\n" }),
        Flood(testDescription: "the same key", unit: { _ in "k=1\n" }, isRead: false),
        Flood(testDescription: "tables", unit: { "[t\($0)]\n" }),
        Flood(testDescription: "tables of a list", unit: { _ in "[[a]]\n" }),
        Flood(testDescription: "deep keys", unit: { String(repeating: "a.", count: 63) + "k\($0)=1\n" }),
        Flood(testDescription: "deep tables", unit: { "[\(String(repeating: "a.", count: 63))k\($0)]\n" }),
        Flood(
            testDescription: "keys below a long name",
            head: "[\((0..<60).map { String(repeating: "b\($0)", count: 3000) }.joined(separator: "."))]\n",
            unit: { "k\($0)=1\n" }
        ),
        Flood(testDescription: "dots", unit: { _ in "a." }, isRead: false),
        Flood(testDescription: "one key", unit: { _ in "x" }, tail: "=1"),
        Flood(testDescription: "elements", head: "a=[", unit: { _ in "1," }, tail: "]"),
        Flood(testDescription: "lines of elements", head: "a=[", unit: { _ in "1,#\n" }, tail: "]"),
        Flood(testDescription: "brackets", head: "a=", unit: { _ in "[" }, isRead: false),
        Flood(
            testDescription: "brackets to the limit",
            unit: { "k\($0)=\(String(repeating: "[", count: 63))\(String(repeating: "]", count: 63))\n" }
        ),
        Flood(testDescription: "inline tables", head: "a=[", unit: { _ in "{b.c=1}," }, tail: "]"),
        Flood(
            testDescription: "keys of an inline table",
            head: "a={",
            unit: { "k.k\($0)=1," },
            tail: "k=0}",
            isRead: false
        ),
        Flood(testDescription: "digits", head: "a=", unit: { _ in "9" }, isRead: false),
        Flood(testDescription: "digits of a fraction", head: "a=1.", unit: { _ in "9" }),
        Flood(testDescription: "digits of an exponent", head: "a=1e", unit: { _ in "9" }),
        Flood(testDescription: "underscores", head: "a=1", unit: { _ in "_1" }, isRead: false),
        Flood(testDescription: "a word", head: "a=", unit: { _ in "x" }, isRead: false),
        Flood(testDescription: "a text", head: "a='", unit: { _ in "x" }, tail: "'"),
        Flood(testDescription: "accents on one letter", head: "\"e", unit: { _ in "\u{301}" }, tail: "\"=1"),
        Flood(testDescription: "escapes", head: "a=\"", unit: { _ in "\\u0041" }, tail: "\""),
        Flood(testDescription: "quotes", head: "a=\"\"\"", unit: { _ in "\"\"x" }, tail: "\"\"\""),
        Flood(testDescription: "lines that are joined", head: "a=\"\"\"", unit: { _ in "\\\n" }, tail: "\"\"\""),
        Flood(testDescription: "a comment", unit: { _ in "#" }),
        Flood(testDescription: "line ends", unit: { _ in "\r\n" }),
        Flood(testDescription: "carriage returns", unit: { _ in "\r" }, isRead: false),
    ]

    @Test("1 MiB of any repeated syntax is read or refused within seconds", arguments: floods)
    func flood(_ flood: Flood) {
        let text = flood.text
        #expect(Document.maximumSize - 1024...Document.maximumSize ~= text.count)
        let start = Self.processorTime
        #expect(((try? Document(text)) != nil) == flood.isRead)
        // It takes a second or two without the optimizer. With quadratic time it would take many minutes.
        #expect(Self.processorTime - start < 20)
    }

    /// The processor time of this thread in seconds, which does not depend on the load of the machine.
    private static var processorTime: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec
    }

    @Test("A text of more than 1 MiB is refused")
    func size() {
        let text = [UInt8](repeating: UInt8(ascii: "#"), count: Document.maximumSize + 1)
        let error = #expect(throws: SyntaxError.self) { try Document(text) }
        #expect(error?.fault == .tooLong(limit: 1_048_576))
    }
}
