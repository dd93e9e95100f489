// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension DatabaseSchema {
    /// The views, for people and for dashboards; the collector itself reads none.
    var views: [String] { [self.sampleValues, self.codes, self.vehicles] }

    private var sampleValues: String {
        """
        CREATE VIEW sample_values AS SELECT samples.time, series.vehicle, series.parameter, series.ecu, samples.value, \
        series.unit, samples.synchronised FROM samples JOIN series ON series.id = samples.series
        """
    }

    /// The present trouble codes: those in the newest state `codes` of each vehicle.
    ///
    /// The state tells since when its agent knows the code; an agent without a database begins anew with each start.
    private var codes: String {
        func member(_ name: String) -> String { "present.value ->> '\(name)'" }
        let sameCode = """
            change.vehicle = states.vehicle AND change.code = \(member("code")) AND change.ecu = \(member("ecu"))
            """
        let gone =
            "SELECT max(change.time) FROM code_changes AS change WHERE \(sameCode) AND change.event = 'code_gone'"
        let start = self == .sqlite ? "0" : "'epoch'"
        let appeared = """
            (SELECT min(change.time) FROM code_changes AS change WHERE \(sameCode) AND change.event <> 'code_gone' \
            AND change.time > coalesce((\(gone)), \(start)))
            """
        let told = self.time(member("first_seen"))
        let first =
            self == .sqlite
            ? "min(coalesce(\(told), \(appeared)), coalesce(\(appeared), \(told)))" : "least(\(told), \(appeared))"
        let elements =
            switch self {
            case .postgreSQL:
                """
                states CROSS JOIN LATERAL jsonb_array_elements(CASE jsonb_typeof(states.body -> 'codes') \
                WHEN 'array' THEN states.body -> 'codes' ELSE '[]' END) AS present (value) \
                WHERE states.topic = 'codes' AND jsonb_typeof(present.value) = 'object'
                """
            case .sqlite:
                """
                states, json_each(states.body, '$.codes') AS present \
                WHERE states.topic = 'codes' AND present.type = 'object'
                """
            }
        return """
            CREATE VIEW codes AS SELECT states.vehicle, \(member("code")) AS code, \(member("ecu")) AS ecu, \
            \(member("category")) AS category, \(member("severity")) AS severity, \
            \(member("description")) AS description, present.value -> 'states' AS states, \(first) AS first_seen, \
            states.time FROM \(elements)
            """
    }

    /// Returns the time in a text; the decoder lets no other text into the body of a state.
    private func time(_ text: String) -> String {
        switch self {
        case .postgreSQL: "(\(text))::timestamptz"
        case .sqlite: "CAST(round((julianday(\(text)) - 2440587.5) * 86400000) AS INTEGER)"
        }
    }

    /// The vehicles with what their states say.
    private var vehicles: String {
        func newest(_ member: String, of topic: String) -> String {
            "max(body ->> '\(member)') FILTER (WHERE topic = '\(topic)')"
        }
        let online = self == .sqlite ? "body = '\"online\"'" : "(body = '\"online\"')::integer"
        return """
            CREATE VIEW vehicles AS SELECT vehicle, \(newest("vin", of: "vehicle")) AS vin, \
            coalesce(max(\(online)) FILTER (WHERE topic = 'availability'), 0) = 1 AS online, \
            \(self.time(newest("vehicle_seen", of: "status"))) AS seen, \(newest("agent", of: "status")) AS agent, \
            \(newest("version", of: "status")) AS version, max(time) AS time FROM states GROUP BY vehicle
            """
    }
}
