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
    private var codes: String {
        switch self {
        case .postgreSQL:
            """
            CREATE VIEW codes AS SELECT states.vehicle, code ->> 'code' AS code, code ->> 'ecu' AS ecu, \
            code ->> 'category' AS category, code ->> 'severity' AS severity, code ->> 'description' AS description, \
            code -> 'states' AS states, code ->> 'first_seen' AS first_seen, states.time \
            FROM states CROSS JOIN LATERAL jsonb_array_elements(CASE jsonb_typeof(states.body -> 'codes') \
            WHEN 'array' THEN states.body -> 'codes' ELSE '[]' END) AS code WHERE states.topic = 'codes'
            """
        case .sqlite:
            """
            CREATE VIEW codes AS SELECT states.vehicle, code.value ->> 'code' AS code, code.value ->> 'ecu' AS ecu, \
            code.value ->> 'category' AS category, code.value ->> 'severity' AS severity, \
            code.value ->> 'description' AS description, code.value -> 'states' AS states, \
            code.value ->> 'first_seen' AS first_seen, states.time \
            FROM states, json_each(states.body, '$.codes') AS code \
            WHERE states.topic = 'codes' AND code.type = 'object'
            """
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
            \(newest("vehicle_seen", of: "status")) AS seen, \(newest("agent", of: "status")) AS agent, \
            \(newest("version", of: "status")) AS version, max(time) AS time FROM states GROUP BY vehicle
            """
    }
}
