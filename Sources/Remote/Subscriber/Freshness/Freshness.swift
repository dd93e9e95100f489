// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import OBD2

/// The three kinds of values on a screen, see "How old a value is" in docs/contract/README.md.
package enum Freshness: Hashable, Sendable {
    /// The value is measured now.
    case live
    /// The value should be measured now, and is older than its limit.
    case late(age: Duration)
    /// The value is not measured now.
    ///
    /// The age is the time since the value is known to have held; nil if it is unknown.
    case lastKnown(age: Duration?)

    /// The limit of an agent that does not tell `live_within`, in seconds.
    private static let usualLimit = 60.0
    /// The interval at which the adapter measures the 12 V supply, in seconds.
    private static let supplyInterval = 35.0
    /// The time for the way of a message, in seconds.
    private static let transit = 10.0
    /// The largest number of seconds that is taken from a message.
    private static let largest = 86_400.0

    /// - Parameters:
    ///   - age: the age of the value; nil if it is unknown.
    ///   - limit: the age up to which the value is live.
    ///   - isMeasured: whether all parts between the vehicle and the viewer work, see ``Lamps/areLit``.
    ///   - silence: the time since any value of an ECU arrived while all worked; nil without one.
    package init(age: Duration?, limit: Duration, isMeasured: Bool, silence: Duration? = nil) {
        guard isMeasured, let age else {
            self = .lastKnown(age: age.map { Self.age($0, limit: limit, silence: silence) })
            return
        }
        self = age <= limit ? .live : .late(age: age)
    }

    /// Returns the time since a value is known to have held: an unchanged value is not published again at once.
    private static func age(_ age: Duration, limit: Duration, silence: Duration?) -> Duration {
        // The value was live when the last value of an ECU arrived.
        guard let silence, age >= silence, age - silence <= limit else { return age }
        return silence
    }

    /// Whether a value is that of an event, such as the last start of the engine, and so is never live.
    package static func isOfEvent(_ name: String) -> Bool {
        SupplyValue(rawValue: name).map { $0 != .voltage } ?? false
    }

    /// Whether the value is measured by an ECU, and not by the adapter, which measures without one too.
    package static func isOfECU(_ name: String) -> Bool { SupplyValue(rawValue: name) == nil }

    /// Returns the age up to which a value is live.
    ///
    /// - Parameters:
    ///   - status: the payload of `status`, with `live_within`.
    ///   - vehicle: the payload of `vehicle`, with the poll intervals.
    ///   - name: the name of the value.
    package static func limit(of name: String, status: JSON, vehicle: JSON) -> Duration {
        func seconds(_ json: JSON) -> Double? { json.double.flatMap { 0...Self.largest ~= $0 ? $0 : nil } }
        let within = seconds(status["live_within"]) ?? Self.usualLimit
        let interval =
            seconds(vehicle["selected"][name]) ?? (name == SupplyValue.voltage.rawValue ? Self.supplyInterval : 0)
        return .milliseconds(Int64((within + interval + Self.transit) * 1000))
    }
}
