// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// The table of a fleet's vehicles, with a row for each.
package struct FleetTable: Sendable {
    /// The time without a status after which an offline vehicle may be gone for good.
    private static let longAbsence = Duration.seconds(30 * 86_400)
    /// The age from which the time of a voltage is told.
    private static let presentAge = Duration.seconds(300)
    /// The largest number of vehicles in a note.
    private static let noteLimit = 5

    private let vehicles: [VehiclePicture]
    private let now: Timestamp

    package init(_ vehicles: [VehiclePicture], at now: Timestamp) {
        self.vehicles = vehicles
        self.now = now
    }

    /// The rows of the short form: the vehicle, and what is the matter with it.
    package var rows: [[String]] {
        [["vehicle", "VIN", "is", "last seen", "state", "codes", "lamp", "adapter", "agent"]]
            + self.vehicles.map { vehicle in
                let agent = [vehicle.agentVersion, vehicle.isSimulated ? "simulated" : nil].compactMap(\.self)
                return [
                    vehicle.name, vehicle.vin == vehicle.name ? "the same" : vehicle.vin ?? "unknown",
                    self.presence(of: vehicle), self.lastSeen(of: vehicle), vehicle.activity,
                    vehicle.codeCount.map { "\($0)" } ?? "unknown",
                    vehicle.mil.map { $0 ? "on" : "off" } ?? "unknown", vehicle.adapter ?? "",
                    agent.joined(separator: ", "),
                ]
            }
    }

    /// The rows of the long form: the state of the agent, as of the time at which the vehicle was last seen.
    package var longRows: [[String]] {
        [["vehicle", "is", "last seen", "outbox", "store", "clock", "signal", "battery", "budget", "problem"]]
            + self.vehicles.map { vehicle in
                [
                    vehicle.name, self.presence(of: vehicle), self.lastSeen(of: vehicle), self.outbox(of: vehicle),
                    vehicle.status["store"]["problem"].string ?? vehicle.status["store"]["state"].string ?? "",
                    vehicle.isClockSet.map { $0 ? "set" : "not set" } ?? "",
                    vehicle.status["adapter"]["rssi"].double.flatMap { Int(exactly: $0) }.map { "\($0) dBm" } ?? "",
                    self.battery(of: vehicle),
                    self.budget(of: vehicle), self.problem(of: vehicle),
                ]
            }
    }

    /// A note about the vehicles that have been offline for long; nil without any.
    package var absenceNote: String? {
        let absent = self.vehicles.filter(self.isLongAbsent).map(\.name)
        guard !absent.isEmpty else { return nil }
        let more = absent.count > Self.noteLimit ? " and \(absent.count - Self.noteLimit) more" : ""
        let names = absent.prefix(Self.noteLimit).joined(separator: ", ")
        return "Not seen for 30 days: \(names)\(more). Try: obd-remote forget NAME, if a vehicle is gone for good."
    }

    private func isLongAbsent(_ vehicle: VehiclePicture) -> Bool {
        guard vehicle.availability != .online else { return false }
        return vehicle.lastSeen.map { self.now - $0 >= Self.longAbsence } ?? false
    }

    private func presence(of vehicle: VehiclePicture) -> String {
        let presence = vehicle.availability?.rawValue ?? "unknown"
        return self.isLongAbsent(vehicle) ? "\(presence), long" : presence
    }

    private func lastSeen(of vehicle: VehiclePicture) -> String {
        guard let time = vehicle.lastSeen else { return "never" }
        guard vehicle.isClockSet != false else { return Timestamp.unknownText }
        return time.age(at: self.now) ?? Timestamp.unknownText
    }

    private func outbox(of vehicle: VehiclePicture) -> String {
        let outbox = vehicle.status["outbox"]
        guard let records = outbox["records"].count else { return "" }
        let oldest = records > 0 ? outbox["oldest"].time?.age(at: self.now).map { "oldest \($0)" } : nil
        let dropped = outbox["dropped"].count.flatMap { $0 > 0 ? "\($0) dropped" : nil }
        return ["\(records)", oldest, dropped].compactMap(\.self).joined(separator: ", ")
    }

    private func battery(of vehicle: VehiclePicture) -> String {
        let battery = vehicle.status["battery"]
        guard let volts = battery["voltage"].double else { return "" }
        let age = battery["time"].time.flatMap { time in
            self.now - time >= Self.presentAge ? time.age(at: self.now) : nil
        }
        let low = battery["low"].bool == true ? "low" : nil
        return ["\(FixedPoint.text(volts, places: 1)) V", low, age].compactMap(\.self).joined(separator: ", ")
    }

    private func budget(of vehicle: VehiclePicture) -> String {
        let budget = vehicle.status["budget"]
        guard let level = budget["level"].string, let bytes = budget["bytes"].double, bytes > 0,
            let sent = vehicle.status["sent_today"].double, let part = Int(exactly: (sent / bytes * 100).rounded())
        else { return "" }
        return "\(part) %, \(level)"
    }

    private func problem(of vehicle: VehiclePicture) -> String {
        if let problem = vehicle.problem { return problem }
        let last = vehicle.status["last_problem"]
        guard let text = last["text"].string else { return "" }
        return ["last", last["time"].time?.age(at: self.now)].compactMap(\.self).joined(separator: ", ") + ": \(text)"
    }
}
