// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2

// The arguments of `select_parameters`.
extension CommandDecoder {
    /// The prefix of a category, which no name of a parameter has.
    private static let categoryPrefix = "category:"

    /// Reads a selection: `parameters` replaces the selection, `set` and `remove` change it.
    static func selection(_ arguments: JSONReader, _ known: KnownNames) throws(JSONError) -> SelectionRequest {
        try arguments.allow(["parameters", "set", "remove", "duration", "expected_version", "strict"])
        let isWhole = arguments["parameters"] != nil
        guard isWhole != (arguments["set"] != nil || arguments["remove"] != nil) else {
            throw arguments.error(
                "parameters",
                "either this, which replaces the selection, or set and remove, which change it"
            )
        }
        let place = isWhole ? "parameters" : "set"
        var request = SelectionRequest(isWhole: isWhole, rates: try Self.rates(place, arguments, known))
        if arguments["remove"] != nil {
            for name in try arguments.strings("remove") {
                request.removed.insert(try Self.choice(name, at: "remove", arguments, known))
            }
            try Self.refuseBoth(request, arguments)
        }
        request.duration = try arguments.optionalSeconds("duration", in: CommandLimits.durations)
        if arguments["expected_version"] != nil {
            guard case .integer(let version) = arguments["expected_version"], let version = Int(exactly: version),
                version > 0
            else { throw arguments.error("expected_version", "the version of a selection, a whole number from 1") }
            request.expectedVersion = version
        }
        request.isStrict = try arguments.optionalFlag("strict") ?? false
        return request
    }

    private static func rates(
        _ place: String,
        _ arguments: JSONReader,
        _ known: KnownNames
    ) throws(JSONError) -> [SelectionRequest.Choice: SelectionRequest.Rate] {
        let settings = try arguments.optionalObject(place)
        guard settings.keys.count <= CommandLimits.selectedParameters else {
            throw arguments.error(place, "at most \(CommandLimits.selectedParameters) parameters")
        }
        var rates: [SelectionRequest.Choice: SelectionRequest.Rate] = [:]
        var intervals: [ParameterKey: Duration] = [:]
        for name in settings.keys {
            let choice = try Self.choice(name, at: place, arguments, known)
            let rate = try Self.rate(name, settings)
            if let key = choice.key, let other = intervals.updateValue(rate.interval, forKey: key),
                other != rate.interval
            {
                throw settings.error(name, "one interval; two values of one PID are read together")
            }
            if let other = rates.updateValue(rate, forKey: choice), other != rate {
                throw settings.error(name, "one rate for a parameter, whatever name it has")
            }
        }
        return rates
    }

    /// Reads seconds, or an object that also has a dead band.
    private static func rate(_ name: String, _ rates: JSONReader) throws(JSONError) -> SelectionRequest.Rate {
        guard case .object = rates[name] else { return .init(try rates.seconds(name, in: CommandLimits.pollIntervals)) }
        let settings = try rates.object(name)
        try settings.allow(["interval", "dead_band"])
        var rate = SelectionRequest.Rate(try settings.seconds("interval", in: CommandLimits.pollIntervals))
        if settings["dead_band"] != nil {
            guard let deadBand = settings["dead_band"]?.double, 0...CommandLimits.deadBand ~= deadBand else {
                throw settings.error("dead_band", "a number from 0, in the parameter's metric unit")
            }
            rate.deadBand = deadBand
        }
        return rate
    }

    private static func choice(
        _ name: String,
        at place: String,
        _ arguments: JSONReader,
        _ known: KnownNames
    ) throws(JSONError) -> SelectionRequest.Choice {
        if name.hasPrefix(Self.categoryPrefix) {
            let categories = ParameterCategory.allCases.filter { $0 != .other }
            let wanted = name.dropFirst(Self.categoryPrefix.count)
            guard let category = categories.first(where: { $0.rawValue == wanted }) else {
                let names = categories.map(\.rawValue).joined(separator: ", ")
                let found = JSON.string(String(wanted).prefix(bytes: 64)).text
                throw arguments.problem(place, "\(found) is no category. Try: one of \(names)")
            }
            return .category(category)
        }
        let key = try known.key(name, at: place, arguments)
        guard case .pid(let pid) = key, let parameter = Parameter.withPID(pid), parameter.fields.count > 1,
            parameter.name != name, parameter.fields.contains(where: { $0.name == name })
        else { return .parameter(key) }
        return .value(name, of: key)
    }

    private static func refuseBoth(_ request: SelectionRequest, _ arguments: JSONReader) throws(JSONError) {
        let set = Set(request.rates.keys.compactMap(\.key))
        guard let both = Set(request.removed.compactMap(\.key)).intersection(set).min() else { return }
        throw arguments.problem("remove", "\(both.name) is under set too. Try: remove it from one of them")
    }
}
