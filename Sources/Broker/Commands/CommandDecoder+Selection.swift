// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2

// What `select_parameters` may be told.
extension CommandDecoder {
    /// What a category is written with, which no name and no PID has.
    private static let categoryPrefix = "category:"

    /// `parameters` selects them and nothing else; `set` and `remove` change what is selected.
    static func selection(_ arguments: JSONReader, _ custom: Set<String>) throws(JSONError) -> SelectionWish {
        try arguments.allow(["parameters", "set", "remove", "duration", "expected_version", "strict"])
        let isWhole = arguments["parameters"] != nil
        guard isWhole != (arguments["set"] != nil || arguments["remove"] != nil) else {
            throw arguments.error("parameters", "either this, which selects all, or set and remove, which change it")
        }
        let place = isWhole ? "parameters" : "set"
        var wish = SelectionWish(isWhole: isWhole, rates: try Self.rates(place, arguments, custom))
        if arguments["remove"] != nil {
            for name in try arguments.strings("remove") {
                wish.removed.insert(try Self.choice(name, at: "remove", arguments, custom))
            }
            try Self.refuseBoth(wish, arguments)
        }
        wish.duration = try arguments.optionalSeconds("duration", in: 1...86_400)
        if arguments["expected_version"] != nil {
            guard case .integer(let version) = arguments["expected_version"], let version = Int(exactly: version),
                version > 0
            else { throw arguments.error("expected_version", "the version of a selection, a whole number from 1") }
            wish.expectedVersion = version
        }
        wish.isStrict = try arguments.optionalFlag("strict") ?? false
        return wish
    }

    private static func rates(
        _ place: String,
        _ arguments: JSONReader,
        _ custom: Set<String>
    ) throws(JSONError) -> [SelectionWish.Choice: SelectionWish.Rate] {
        let wishes = try arguments.optionalObject(place)
        guard wishes.keys.count <= Self.parameterLimit else {
            throw arguments.error(place, "at most \(Self.parameterLimit) parameters")
        }
        var rates: [SelectionWish.Choice: SelectionWish.Rate] = [:]
        var intervals: [ParameterKey: Duration] = [:]
        for name in wishes.keys {
            let choice = try Self.choice(name, at: place, arguments, custom)
            let rate = try Self.rate(name, wishes)
            if let key = choice.key, let other = intervals.updateValue(rate.interval, forKey: key),
                other != rate.interval
            {
                throw wishes.error(name, "one interval; two values of one PID are read together")
            }
            if let other = rates.updateValue(rate, forKey: choice), other != rate {
                throw wishes.error(name, "one wish for a parameter, whatever it is called")
            }
        }
        return rates
    }

    /// Seconds, or an object that also has a dead-band.
    private static func rate(_ name: String, _ wishes: JSONReader) throws(JSONError) -> SelectionWish.Rate {
        guard case .object = wishes[name] else { return .init(try wishes.seconds(name, in: Self.intervalRange)) }
        let wish = try wishes.object(name)
        try wish.allow(["interval", "dead_band"])
        var rate = SelectionWish.Rate(try wish.seconds("interval", in: Self.intervalRange))
        if wish["dead_band"] != nil {
            guard let deadBand = wish["dead_band"]?.double, 0...Self.deadBandLimit ~= deadBand else {
                throw wish.error("dead_band", "a number from 0, in the parameter's metric unit")
            }
            rate.deadBand = deadBand
        }
        return rate
    }

    /// The seconds between two readings.
    private static var intervalRange: ClosedRange<Double> { 0.05...86_400 }
    /// No parameter has a greater range.
    private static var deadBandLimit: Double { 1e12 }

    private static func choice(
        _ name: String,
        at place: String,
        _ arguments: JSONReader,
        _ custom: Set<String>
    ) throws(JSONError) -> SelectionWish.Choice {
        if name.hasPrefix(Self.categoryPrefix) {
            let categories = ParameterCategory.allCases.filter { $0 != .other }
            let wanted = name.dropFirst(Self.categoryPrefix.count)
            guard let category = categories.first(where: { $0.rawValue == wanted }) else {
                let names = categories.map(\.rawValue).joined(separator: ", ")
                throw arguments.error(place, "one of the categories \(names); \"\(wanted.prefix(bytes: 64))\" is none")
            }
            return .category(category)
        }
        let key = try Self.key(name, at: place, arguments, custom)
        guard case .pid(let pid) = key, let parameter = Parameter.withPID(pid), parameter.fields.count > 1,
            parameter.name != name, parameter.fields.contains(where: { $0.name == name })
        else { return .parameter(key) }
        return .value(name, of: key)
    }

    private static func refuseBoth(_ wish: SelectionWish, _ arguments: JSONReader) throws(JSONError) {
        let set = Set(wish.rates.keys.compactMap(\.key))
        guard let both = Set(wish.removed.compactMap(\.key)).intersection(set).min() else { return }
        throw arguments.error("remove", "what is not set as well; \(both.name) is")
    }
}
