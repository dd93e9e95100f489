// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The frames of a driving car after the loss of the broker, at four sizes.
enum LostFrames {
    static let all = [Self.small, Self.usual, Self.wide, Self.large]

    private static let small = """
        van-12
        ○ broker lost 7 s ago  ○ agent
        ○ adapter  ○ vehicle
        Lamp    ● on   2 codes   1 min ago
        Gauges   last 2 min
        Speed       77 km/h   just now
        Engine    4500 rpm    just now
        Coolant    102 °C     just now
        Boost      -21 kPa    just now
        Fuel       8.6 %      just now
        Battery  14.02 V      just now



        The connection was lost; reconnecting
        """

    private static let usual = """
        van-12  WVWZZZ1KZ6W612305  Volkswagen  from broker.example          10:00:00 UTC
        ○ broker lost 7 s ago   ○ agent was online   ○ adapter was connected
        ○ vehicle was running

        Speed           77 km/h   last known, just now
        Engine        4500 rpm    last known, just now
        Coolant        102 °C     last known, just now
        Boost          -21 kPa    last known, just now
        Fuel           8.6 %      last known, just now
        Battery      14.02 V      last known, just now

        Lamp      ● on   2 codes   last known, 1 min ago
        P0301     Misfire in cylinder 1   7E8 stored, pending   freeze frame
        P0420     Catalyst efficiency too low, bank 1   7E8 pending   7E9 stored
        Trip      was under way 30 s ago   25.2 km   31 min   6.4 L/100 km
        Place     12 s ago   52.51628, 13.37770   ± 8 m
        Ready     ○ 2 of 6 monitors incomplete   last known, 1 min ago

        Values   last 2 min   1–4 of 13
        Engine load                       34.0 %      last known, just now
        Oil pressure                      2.25 bar    last known, just now
        Fuel system status              closed loop  last known, 10 s ago
        Fuel type                       gasoline  last known, 10 s ago
        The connection was lost; reconnecting
        """

    private static let wide = """
        van-12  WVWZZZ1KZ6W612305  Volkswagen  from broker.example                                                  10:00:00 UTC
        ○ broker lost 7 s ago   ○ agent was online   ○ adapter was connected   ○ vehicle was running

        Speed       77 km/h   last known, just now         Values   last 2 min
        Engine    4500 rpm    last known, just now         Engine
        Coolant    102 °C     last known, just now         Engine load                  34.0 %      last known, just now
        Boost      -21 kPa    last known, just now         Oil pressure                 2.25 bar    last known, just now
        Fuel       8.6 %      last known, just now         Fuel
        Battery  14.02 V      last known, just now         Fuel system status         closed loop  last known, 10 s ago
                                                           Fuel type                  gasoline  last known, 10 s ago
        Lamp    ● on   2 codes   1 min ago                 Short fuel trim 1              -4 %      last known, just now
                                                           Air
        P0301   Misfire in cylinder 1                      Intake manifold pressure       80 kPa    last known, just now
                7E8 stored, pending                        Mass air flow               21.50 g/s    last known, just now
                first seen 20 min ago                      Throttle position            25.0 %      last known, just now
                Freeze frame of 7E8                        Exhaust
                Coolant temperature            91 °C       O2 sensor B1S1 lambda       1.000 ratio  last known, just now
                Engine speed                 3250 rpm      Temperatures
                Fuel system status           closed loop   Ambient air temperature        18 °C     last known, just now
                Vehicle speed                  88 km/h     Catalyst temperature B1…    700.0 °C     last known, just now
                not read: Fuel level                       Intake air temperature         21 °C     last known, just now
                                                           Driving
        P0420   Catalyst efficiency too low, bank 1        Odometer                 182345.6 km     last known, just now
                7E8 pending   7E9 stored
                first seen 10 min ago                      Ready     ○ 2 of 6 monitors incomplete   last known, 1 min ago
                                                                     catalyst, evaporative system
        Not read of every ECU: permanent                   Tests     1 failed   1 passed   read 2 d ago
                                                           7E8       catalyst bank 1, test 80   0.31 V (0 to 0.25)   failed
        Trip    was under way 30 s ago   25.2 km
                31 min   6.4 L/100 km                      Events
        Place   12 s ago   52.51628, 13.37770   ± 8 m      09:59:10  limit exceeded   hot, coolant_temperature > 100
                                                           09:58:50  code appeared   P0301 (7E8), Misfire in cylinder 1, stored







        The connection was lost; reconnecting
        """

    private static let large = """
        van-12  WVWZZZ1KZ6W612305  Volkswagen  from broker.example                                                                                                                                  10:00:00 UTC
        ○ broker lost 7 s ago   ○ agent was online   ○ adapter was connected   ○ vehicle was running

        Speed           77 km/h   last known, just now             Values   last 2 min                                                                Lamp      ● on   2 codes   last known, 1 min ago
        Engine        4500 rpm    last known, just now             Engine
        Coolant        102 °C     last known, just now             Engine load                       34.0 %      last known, just now                 P0301     Misfire in cylinder 1   7E8 stored, pending
        Boost          -21 kPa    last known, just now             Oil pressure                      2.25 bar    last known, just now                           first seen 20 min ago
        Fuel           8.6 %      last known, just now             Fuel                                                                                         Freeze frame of 7E8
        Battery      14.02 V      last known, just now             Fuel system status              closed loop  last known, 10 s ago                            Coolant temperature                 91 °C
                                                                   Fuel type                       gasoline  last known, 10 s ago                               Engine speed                      3250 rpm
        Limit     hot   not exceeded   coolant_temperature > 110   Short fuel trim 1                   -4 %      last known, just now                           Fuel system status              closed loop
        Trip      was under way 30 s ago   25.2 km   31 min        Air                                                                                          Vehicle speed                       88 km/h
                  6.4 L/100 km   1.6 L   mean 48.8 km/h            Intake manifold pressure            80 kPa    last known, just now                           not read: Fuel level
                  at most 121 km/h                                 Mass air flow                    21.50 g/s    last known, just now
        Place     12 s ago   52.51628, 13.37770   ± 8 m            Throttle position                 25.0 %      last known, just now                 P0420     Catalyst efficiency too low, bank 1
                                                                   Exhaust                                                                                      7E8 pending   7E9 stored
        Ready     ○ 2 of 6 monitors incomplete                     O2 sensor B1S1 lambda            1.000 ratio  last known, just now                           first seen 10 min ago
                  last known, 1 min ago                            Temperatures
                  ○ incomplete  catalyst                           Ambient air temperature             18 °C     last known, just now                 Not read of every ECU: permanent
                  ● complete    components                         Catalyst temperature B1S1        700.0 °C     last known, just now
                  ○ incomplete  evaporative system                 Intake air temperature              21 °C     last known, just now                 Events
                  ● complete    fuel system                        Driving                                                                            09:59:10  limit exceeded   hot, coolant_temperature > 100
                  ● complete    misfire                            Odometer                      182345.6 km     last known, just now                 09:58:50  code appeared   P0301 (7E8), Misfire in cylinde…
                  ● complete    O2 sensor

        Tests     1 failed   1 passed   read 2 d ago
        7E8       catalyst bank 1, test 80   0.31 V (0 to 0.25)
                  failed
        7E8       O2 sensor B1S1, test 85   0.8 V (0.1 to 0.9)
                  passed





























        The connection was lost; reconnecting
        """
}
