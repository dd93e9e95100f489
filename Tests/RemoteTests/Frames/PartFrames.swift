// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The parts of a faulty car at 40 by 15.
enum PartFrames {
    static let all = [Self.gauges, Self.values, Self.codes, Self.readiness, Self.drive, Self.events]

    private static let gauges = """
        van-12
        ● broker  ● agent  ● adapter  ● vehicle
        Lamp    ● on   2 codes   1 limit
        Gauges
        Speed       77 km/h   ███████░░░░░░░░░░░
        Engine    4500 rpm    ████████████░░│░│░
        Coolant    102 °C     ██████████████││░░
        Boost      -21 kPa    █████░░░░░░░░░░░░░
        Fuel       8.6 %      ██░░░░░░░░░░░░░░░░
        Battery  14.02 V      ████████████░░░││░




        1-6 parts  q quit  ? keys
        """

    private static let values = """
        van-12
        ● broker  ● agent  ● adapter  ● vehicle
        Lamp    ● on   2 codes   1 limit
        Values   last 2 min   1–10 of 19
        Engine
        Engine load         34.0 %       ▃▇▁▁▆▃█
        Oil pressure        2.25 bar     ▄▄▄▄▄▄▄
        Fuel
        Fuel system stat…   closed loop
        Fuel type           gasoline
        Short fuel trim 1     -4 %       ▅▁█▄▂▇▁
        Air
        Intake manifold …     80 kPa     ▁▂▃▅▆▇█
        Mass air flow      21.50 g/s     ▁▂▃▅▆▇█
        1-6 parts  q quit  ? keys
        """

    private static let codes = """
        van-12
        ● broker  ● agent  ● adapter  ● vehicle

        Codes   1–10 of 25
        Lamp    ● on   2 codes

        P0301   Misfire in cylinder 1
                7E8 stored, pending
                first seen 20 min ago
                Freeze frame of 7E8
                Coolant temperatu…     91 °C
                Engine speed         3250 rpm
                Fuel system status   closed loop
                Vehicle speed          88 km/h
        1-6 parts  q quit  ? keys
        """

    private static let readiness = """
        van-12
        ● broker  ● agent  ● adapter  ● vehicle
        Lamp    ● on   2 codes   1 limit
        Readiness   1–10 of 14
        Ready   ○ 2 of 6 monitors incomplete
                ○ incomplete  catalyst
                ● complete    components
                ○ incomplete  evaporative system
                ● complete    fuel system
                ● complete    misfire
                ● complete    O2 sensor

        Tests   1 failed   1 passed
                read 2 d ago
        1-6 parts  q quit  ? keys
        """

    private static let drive = """
        van-12
        ● broker  ● agent  ● adapter  ● vehicle
        Lamp    ● on   2 codes   1 limit
        Trip
        Limit   hot   exceeded 2 min ago
                coolant_temperature > 100
        Limit   weak   not known
                supply_voltage < 11.9
        Trip    under way   25.2 km   31 min
                6.4 L/100 km   1.6 L
                mean 48.8 km/h
                at most 121 km/h
        Place   12 s ago   52.51628, 13.37770
                ± 8 m
        1-6 parts  q quit  ? keys
        """

    private static let events = """
        van-12
        ● broker  ● agent  ● adapter  ● vehicle
        Lamp    ● on   2 codes   1 limit
        Events
        09:59:10  limit exceeded
                  hot, coolant_temperature > 100
        09:58:50  code appeared
                  P0301 (7E8), Misfire in
                  cylinder 1, stored





        1-6 parts  q quit  ? keys
        """
}
