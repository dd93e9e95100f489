// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The words about a table or view of the database, which PostgreSQL shows to people, and the documentation too.
struct TableComments: Hashable, Sendable {
    /// The words about a column.
    struct Column: Hashable, Sendable {
        let name: String
        let text: String
    }

    let name: String
    let isView: Bool
    let text: String
    /// The columns in their order.
    private(set) var columns: [Column] = []

    /// The tables and views in the order of the documentation.
    static let all: [TableComments] = Self.words.split(separator: "\n").reduce(into: []) { tables, line in
        guard let colon = line.firstIndex(of: ":") else { return }
        let (names, text) = (line[..<colon].split(separator: " "), String(line[colon...].dropFirst(2)))
        let name = String(names.last ?? "")
        if names.first == "-" {
            tables[tables.count - 1].columns.append(Column(name: name, text: text))
        } else {
            tables.append(TableComments(name: name, isView: names.first == "view", text: text))
        }
    }

    /// The statements that put the words into PostgreSQL.
    static var statements: [String] {
        Self.all.flatMap { table in
            ["COMMENT ON \(table.isView ? "VIEW" : "TABLE") \(table.name) IS \(Self.literal(table.text))"]
                + table.columns.map { "COMMENT ON COLUMN \(table.name).\($0.name) IS \(Self.literal($0.text))" }
        }
    }

    private static func literal(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    private static let words = """
        view sample_values: every sample with its names: samples joined with series
        - time: when the value was measured
        - vehicle: the vehicle's level in the topics
        - parameter: the name of the parameter, or name/ecu of an ECU other than the engine's, so that a name is one \
        series
        - ecu: the address of the ECU that answered, such as 7E8
        - value: the value in that unit
        - unit: the metric unit; NULL without one, or until the vehicle has told it
        - synchronised: whether the agent's clock was right
        table samples: every sample, in few bytes
        - time: when the value was measured
        - value: the value in the unit of the series
        - series: the id in series
        - synchronised: whether the agent's clock was right
        table series: the names of the samples
        - id: the number that samples has
        - vehicle: the vehicle's level in the topics
        - parameter: the name of the parameter, or name/ecu of an ECU other than the engine's
        - ecu: the address of the ECU that answered
        - unit: the metric unit; NULL without one, or until the vehicle has told it
        table positions: the points of the track, where the vehicle shares it in full
        - vehicle: the vehicle's level in the topics
        - time: when the vehicle was there
        - synchronised: whether the agent's clock was right
        - latitude: degrees north, WGS 84
        - longitude: degrees east, WGS 84
        - follows_gap: whether the way from the point before is not known: draw no line
        table trips: the finished trips, from the events of this kind
        - agent: the identity of the agent
        - epoch: the number of the agent's start
        - seq: the number of the record in its stream since that start
        - vehicle: the vehicle's level in the topics
        - time: the end of the trip
        - synchronised: whether the agent's clock was right
        - start_time: the start of the trip
        - duration: seconds from start to end
        - moving: seconds with a speed
        - idling: seconds at standstill with a running engine
        - stopped: the other seconds at standstill
        - unobserved: seconds in which the agent read nothing
        - distance: km; NULL if it is not known
        - distance_observed: seconds in which distance was driven; if many fewer than duration, the vehicle has \
        driven more
        - mean_speed: km/h, in distance_observed
        - maximum_speed: km/h
        - fuel: liters
        - fuel_consumption: liters on 100 km
        - energy: kWh out of the traction battery
        - regenerated: kWh back into it
        - energy_consumption: kWh on 100 km, less what was regenerated
        - body: the whole trip, as in the contract
        table events: every event
        - agent: the identity of the agent
        - epoch: the number of the agent's start
        - seq: the number of the record in its stream since that start
        - vehicle: the vehicle's level in the topics
        - time: the time of the record
        - synchronised: whether the agent's clock was right
        - event: its kind
        - body: the whole payload; of a capture without its readings
        table code_changes: the trouble codes that came and went, and the lamp, from the events of these kinds
        - agent: the identity of the agent
        - epoch: the number of the agent's start
        - seq: the number of the record in its stream since that start
        - vehicle: the vehicle's level in the topics
        - time: the time of the record
        - synchronised: whether the agent's clock was right
        - event: code_found, code_appeared, code_gone, mil_on or mil_off
        - code: the trouble code; NULL for the lamp
        - ecu: the ECU that has it
        - states: its states, a JSON array
        - description: its text, if the agent knows one
        table captures: the captures around a moment, from the events of this kind
        - agent: the identity of the agent
        - epoch: the number of the agent's start
        - seq: the number of the record in its stream since that start
        - vehicle: the vehicle's level in the topics
        - time: the moment of the trigger
        - synchronised: whether the agent's clock was right
        - rule: the name of its rule
        - trigger: what started it
        - code: the trouble code that started it; NULL if none did
        - ecu: the ECU of that code
        - seconds_before: seconds that were captured before the moment
        - seconds_after: seconds that were captured after it
        - ended: why it ended
        - body: the capture without its readings, as in the contract
        table capture_samples: the readings of the captures
        - agent: the identity of the agent
        - epoch: the number of the agent's start
        - seq: the number of the record in its stream since that start
        - vehicle: the vehicle's level in the topics
        - time: when the value was measured
        - series: the id in series
        - value: the value in the unit of the series
        table responses: the responses to all commands, whoever sent them
        - agent: the identity of the agent
        - epoch: the number of the agent's start
        - seq: the number of the record in its stream since that start
        - vehicle: the vehicle's level in the topics
        - time: the time of the record
        - synchronised: whether the agent's clock was right
        - id: the id of the command
        - command: its name
        - state: how far it is
        - reason: why it was refused or failed
        - body: the whole payload
        table states: the last payload of each retained topic
        - vehicle: the vehicle's level in the topics
        - topic: the topic after it
        - time: the time in the payload; NULL if it has none
        - body: the payload; of availability a JSON string
        view vehicles: the vehicles, with what their states say
        - vehicle: the vehicle's level in the topics
        - vin: its VIN, if it tells one
        - online: whether its agent is connected to the broker
        - seen: when the vehicle last answered its agent; NULL from a start of the agent until the first answer
        - agent: the identity of its agent
        - version: the version of its agent
        - time: the time of its newest state
        view codes: the present trouble codes of the vehicles
        - vehicle: the vehicle's level in the topics
        - code: the trouble code
        - ecu: the ECU that has it
        - category: the part of the vehicle
        - severity: what the ECU asks of the driver, if it does
        - description: its text, if known
        - states: its states, a JSON array
        - first_seen: when the code appeared, by code_changes since it was last gone; else when the agent saw it first
        - time: the time of the state in which it is present
        table received: the numbers of the records that came on a vehicle's topics
        - agent: the identity of the agent
        - stream: telemetry, events or responses
        - epoch: the number of the agent's start
        - vehicle: the vehicle's level in the topics
        - numbers: the numbers that are in the database, such as 1-5,7
        - lost: the numbers that will not come; one that comes all the same is written
        - last: the highest number that is known to exist
        - ended: whether no higher one follows, as the agent has told here
        - has_holes: whether a number up to last is missing and not lost, whatever vehicle it came for
        - end_known: whether no higher one follows, as the agent has told in any vehicle
        - next_ask: before which no collector asks for the missing numbers again
        - asks: requests since the agent last promised records
        - updated: the last change of the row
        table rejected: the last 1000 messages that are no records or states
        - id: a number
        - time: when the message came
        - topic: its topic
        - payload: its first 64 KiB
        - reason: what is wrong with it
        table meta: the version of these tables
        - name: a name
        - value: its value
        """
}
