// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import FoundationEssentials
import Testing

@Suite("Encoding as JSON")
struct JSONEncodingTests {
    private enum Color: String, Encodable { case red, green }
    private struct Empty: Encodable {}

    private struct Payload: Encodable {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        var B = 1
        var a10: Int? = nil
        var a2: UInt8? = 255
        var _keys = ["é": Color.red, "e\u{301}z": .green]
        var least = Int64.min
        var numbers: [Double] = [0, -0.0, 1, 0.1, 812, 1e15, 9_007_199_254_740_992, 1e16, 1e17, 1e300, 1e-5, 2.5e-308]
        var lists: [[Bool?]] = [[], [true, nil], [false]]
        var text = "x/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}\u{9B}\u{2028}\"\\é\u{1F600}"
        var empty = Empty()
        var none: [String: Int] = [:]
        var json: JSON = ["a": [1, 2.5, .null], "b": ["c": "d"]]
        var time = Timestamp(milliseconds: 1_795_255_200_123)
    }

    /// A type that encodes itself by hand, with every kind of container.
    private struct Nested: Encodable {
        enum Key: String, CodingKey { case list, object, nothing, parent }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(list.count)
            try list.encodeNil()
            var inner = list.nestedContainer(keyedBy: Key.self)
            try inner.encode(1, forKey: .object)
            var innerList = list.nestedUnkeyedContainer()
            try innerList.encode("x")
            try Color.red.encode(to: list.superEncoder())
            try list.encode(list.count)
            var object = container.nestedContainer(keyedBy: Key.self, forKey: .object)
            try object.encode(Color.green, forKey: .list)
            try container.encodeNil(forKey: .nothing)
            try Color.red.encode(to: container.superEncoder())
            try Color.green.encode(to: container.superEncoder(forKey: .parent))
        }
    }

    private static func text(of value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test("The text of an encoded value is that of JSONEncoder")
    func equalText() throws {
        let values: [any Encodable] = [
            Payload(), Nested(), [Payload()], [Nested()], Empty(), [Empty](), "a", 1, 1.5, true, Color.red, [Int?.none],
            Payload().json, [1: "a", 2: "b"], UInt32.max,
        ]
        for value in values {
            #expect(try JSON(encoding: value).text == Self.text(of: value, []))
            #expect(try JSON(encoding: value).prettyText == Self.text(of: value, .prettyPrinted))
        }
    }

    @Test("Infinity and NaN are no JSON", arguments: [.infinity, -.infinity, .nan] as [Double])
    func numbers(number: Double) {
        #expect(throws: EncodingError.self) { try JSON(encoding: ["a": [number]]) }
        #expect(throws: EncodingError.self) { try JSON(encoding: JSON.number(number)) }
        #expect(JSON.number(number).text == "null")
    }
}
