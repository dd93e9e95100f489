// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension JSON {
    /// Encodes a value as `JSONEncoder` does, but without text in between.
    ///
    /// - Throws: `EncodingError` if a number is infinite or NaN, which JSON does not have.
    package init(encoding value: some Encodable) throws {
        let node = EncodedNode()
        try ValueEncoder(node: node).encode(value)
        self = node.json
    }
}

/// A place in the encoded value; an encoder or a container fills it.
private final class EncodedNode {
    enum Content {
        case empty
        case value(JSON)
        case array([EncodedNode])
        case object([String: EncodedNode])
    }

    var content = Content.empty

    var json: JSON {
        switch self.content {
        // `JSONEncoder` also writes an empty object for a type that encodes nothing.
        case .empty: .object([:])
        case .value(let json): json
        case .array(let nodes): .array(nodes.map(\.json))
        case .object(let nodes): .object(nodes.mapValues(\.json))
        }
    }

    /// Makes this an array, unless it is one, and returns its number of elements.
    func beginArray() -> Int {
        if case .array(let nodes) = self.content { return nodes.count }
        self.content = .array([])
        return 0
    }

    func beginObject() {
        if case .object = self.content { return }
        self.content = .object([:])
    }

    /// Adds an element to the array.
    func element() -> EncodedNode {
        let node = EncodedNode()
        if case .array(var nodes) = self.content {
            self.content = .empty
            nodes.append(node)
            self.content = .array(nodes)
        }
        return node
    }

    /// Adds a member to the object.
    func member(_ name: String) -> EncodedNode {
        let node = EncodedNode()
        if case .object(var nodes) = self.content {
            self.content = .empty
            nodes[name] = node
            self.content = .object(nodes)
        }
        return node
    }
}

private struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    let node: EncodedNode

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        self.node.beginObject()
        return KeyedEncodingContainer(ObjectContainer<Key>(node: self.node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        _ = self.node.beginArray()
        return ArrayContainer(node: self.node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { self.node.content = .value(.null) }

    func encode(_ value: Bool) { self.node.content = .value(.bool(value)) }

    func encode(_ value: String) { self.node.content = .value(.string(value)) }

    func encode(_ value: Double) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value,
                .init(codingPath: [], debugDescription: "JSON has no number for \(value)")
            )
        }
        self.node.content = .value(.number(value))
    }

    func encode(_ value: Float) throws { try self.encode(Double(value)) }

    func encode(_ value: some FixedWidthInteger & Encodable) {
        self.node.content = .value(Int64(exactly: value).map { .integer($0) } ?? .number(Double(value)))
    }

    /// Encodes a composed type, which describes itself with the containers of this encoder.
    func encode(_ value: some Encodable) throws { try value.encode(to: self) }
}

private struct ObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodedNode

    var codingPath: [any CodingKey] { [] }

    private func encoder(_ key: any CodingKey) -> ValueEncoder {
        ValueEncoder(node: self.node.member(key.stringValue))
    }

    func encodeNil(forKey key: Key) { self.encoder(key).encodeNil() }

    func encode(_ value: some Encodable, forKey key: Key) throws { try self.encoder(key).encode(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        self.encoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        self.encoder(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { ValueEncoder(node: self.node.member("super")) }

    func superEncoder(forKey key: Key) -> any Encoder { self.encoder(key) }
}

private struct ArrayContainer: UnkeyedEncodingContainer {
    let node: EncodedNode

    var codingPath: [any CodingKey] { [] }
    var count: Int { self.node.beginArray() }

    private func encoder() -> ValueEncoder { ValueEncoder(node: self.node.element()) }

    func encodeNil() { self.encoder().encodeNil() }

    func encode(_ value: some Encodable) throws { try self.encoder().encode(value) }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        self.encoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self.encoder().unkeyedContainer() }

    func superEncoder() -> any Encoder { self.encoder() }
}
