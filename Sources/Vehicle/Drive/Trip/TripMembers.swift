// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The members of a JSON object, as the stored form of a trip has them.
struct TripMembers: Sendable {
    private var members: [String: JSON] = [:]

    init() {}

    /// Takes over the members of an object; none of anything else.
    init(_ json: JSON) { if case .object(let members) = json { self.members = members } }

    var json: JSON { .object(self.members) }

    /// A number; nil if there is none.
    subscript(name: String) -> Double? {
        get { self.members[name]?.double }
        set { self.members[name] = newValue.flatMap { $0.isFinite ? .number($0) : nil } }
    }

    /// A whole number; nil if there is none.
    func count(_ name: String) -> Int? { self[name].flatMap { Int(exactly: $0) } }

    func text(_ name: String) -> String? { self.members[name]?.string }

    func texts(_ name: String) -> [String] { self.members[name]?.elements.compactMap(\.string) ?? [] }

    func numbers(_ name: String) -> [Double] { self.members[name]?.elements.compactMap(\.double) ?? [] }

    func members(_ name: String) -> TripMembers? {
        if case .object? = self.members[name] { self.members[name].map { TripMembers($0) } } else { nil }
    }

    func time(_ name: String) -> MonotonicTime? {
        self[name].flatMap { Int64(exactly: $0.rounded()) }.map { MonotonicTime(sinceBoot: .milliseconds($0)) }
    }

    func anchor(_ name: String) -> TripDistance.Anchor? {
        let numbers = self.numbers(name)
        guard numbers.count == 3 else { return nil }
        return TripDistance.Anchor(position: numbers[0], error: numbers[1], integral: numbers[2])
    }

    func place(_ name: String) -> Coordinate? {
        let numbers = self.numbers(name)
        return numbers.count == 2 ? Coordinate(latitude: numbers[0], longitude: numbers[1]) : nil
    }

    mutating func set(_ name: String, _ text: String?) { self.members[name] = text.map { .string($0) } }

    mutating func set(_ name: String, _ count: Int?) { self.members[name] = count.map { .integer(Int64($0)) } }

    mutating func set(_ name: String, _ texts: [String]) {
        self.members[name] = texts.isEmpty ? nil : .array(texts.map { .string($0) })
    }

    mutating func set(_ name: String, _ numbers: [Double]?) {
        self.members[name] = numbers.map { .array($0.map { .number($0) }) }
    }

    mutating func set(_ name: String, _ members: TripMembers?) { self.members[name] = members?.json }

    mutating func set(_ name: String, _ time: MonotonicTime?) {
        self.members[name] = time.map { .integer($0.sinceBoot.milliseconds) }
    }

    mutating func set(_ name: String, _ place: Coordinate?) {
        self.set(name, place.map { [$0.latitude, $0.longitude] })
    }

    mutating func set(_ name: String, _ anchor: TripDistance.Anchor?) {
        self.set(name, anchor.map { [$0.position, $0.error, $0.integral] })
    }
}
