// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The frames of a parked car, at four sizes.
enum ParkedFrames {
    static let all = [Self.small, Self.usual, Self.wide, Self.large]

    private static let small = """
        van-12
        ● broker  ● agent  ○ adapter waiting
        ○ vehicle parked
        Lamp    ○ off   no codes   1 min ago
        Gauges
        Speed       62 km/h   11 h ago
        Engine    1800 rpm    11 h ago
        Coolant     72 °C     11 h ago
        Boost      -66 kPa    11 h ago
        Fuel       8.6 %      11 h ago
        Battery  14.20 V      11 h ago



        1-6 parts  q quit  ? keys
        """

    private static let usual = """
        van-12  WVWZZZ1KZ6W612305  Volkswagen  from broker.example          10:00:00 UTC
        ● broker   ● agent online   ○ adapter waiting   ○ vehicle parked

        Speed           62 km/h   last known, 11 h ago
        Engine        1800 rpm    last known, 11 h ago
        Coolant         72 °C     last known, 11 h ago
        Boost          -66 kPa    last known, 11 h ago
        Fuel           8.6 %      last known, 11 h ago
        Battery      14.20 V      last known, 11 h ago

        Lamp      ○ off   no codes   last known, 1 min ago
        Trip      ended 11 h ago   25.2 km   31 min   6.4 L/100 km
        Place     12 s ago   52.51628, 13.37770   ± 8 m
        Ready     ○ 2 of 6 monitors incomplete

        Values   1–7 of 13
        Engine load                        0.0 %      last known, 11 h ago
        Oil pressure                      2.25 bar    last known, 11 h ago
        Fuel system status              closed loop  last known, age unknown
        Fuel type                       gasoline  last known, age unknown
        Short fuel trim 1                   -4 %      last known, 11 h ago
        Intake manifold pressure            35 kPa    last known, 11 h ago
        Mass air flow                    12.50 g/s    last known, 11 h ago
        0 all  1 gauges  2 values  3 codes  4 ready  5 trip  6 events  q quit  ? keys
        """

    private static let wide = """
        van-12  WVWZZZ1KZ6W612305  Volkswagen  from broker.example                                                  10:00:00 UTC
        ● broker   ● agent online   ○ adapter waiting   ○ vehicle parked

        Speed       62 km/h   last known, 11 h ago         Values
        Engine    1800 rpm    last known, 11 h ago         Engine
        Coolant     72 °C     last known, 11 h ago         Engine load                   0.0 %      last known, 11 h ago
        Boost      -66 kPa    last known, 11 h ago         Oil pressure                 2.25 bar    last known, 11 h ago
        Fuel       8.6 %      last known, 11 h ago         Fuel
        Battery  14.20 V      last known, 11 h ago         Fuel system status         closed loop  last known, age unknown
                                                           Fuel type                  gasoline  last known, age unknown
        Lamp    ○ off   no codes   1 min ago               Short fuel trim 1              -4 %      last known, 11 h ago
                                                           Air
        Trip    ended 11 h ago   25.2 km   31 min          Intake manifold pressure       35 kPa    last known, 11 h ago
                6.4 L/100 km                               Mass air flow               12.50 g/s    last known, 11 h ago
        Place   12 s ago   52.51628, 13.37770   ± 8 m      Throttle position            15.0 %      last known, 11 h ago
                                                           Exhaust
                                                           O2 sensor B1S1 lambda       0.955 ratio  last known, 11 h ago
                                                           Temperatures
                                                           Ambient air temperature        18 °C     last known, 11 h ago
                                                           Catalyst temperature B1…    610.0 °C     last known, 11 h ago
                                                           Intake air temperature         21 °C     last known, 11 h ago
                                                           Driving
                                                           Odometer                 182345.6 km     last known, 11 h ago

                                                           Ready     ○ 2 of 6 monitors incomplete
                                                                     catalyst, evaporative system
                                                           Tests     1 failed   1 passed   read 2 d ago
                                                           7E8       catalyst bank 1, test 80   0.31 V (0 to 0.25)   failed











        0 all  1 gauges  2 values  3 codes  4 ready  5 trip  6 events  q quit  ? keys
        """

    private static let large = """
        van-12  WVWZZZ1KZ6W612305  Volkswagen  from broker.example                                                                                                                                  10:00:00 UTC
        ● broker   ● agent online   ○ adapter waiting   ○ vehicle parked

        Speed           62 km/h   last known, 11 h ago             Values                                                                             Lamp      ○ off   no codes   last known, 1 min ago
        Engine        1800 rpm    last known, 11 h ago             Engine
        Coolant         72 °C     last known, 11 h ago             Engine load                        0.0 %      last known, 11 h ago
        Boost          -66 kPa    last known, 11 h ago             Oil pressure                      2.25 bar    last known, 11 h ago
        Fuel           8.6 %      last known, 11 h ago             Fuel
        Battery      14.20 V      last known, 11 h ago             Fuel system status              closed loop  last known, age unknown
                                                                   Fuel type                       gasoline  last known, age unknown
        Limit     hot   not exceeded   coolant_temperature > 110   Short fuel trim 1                   -4 %      last known, 11 h ago
        Trip      ended 11 h ago   25.2 km   31 min                Air
                  6.4 L/100 km   1.6 L   mean 48.8 km/h            Intake manifold pressure            35 kPa    last known, 11 h ago
                  at most 121 km/h                                 Mass air flow                    12.50 g/s    last known, 11 h ago
        Place     12 s ago   52.51628, 13.37770   ± 8 m            Throttle position                 15.0 %      last known, 11 h ago
                                                                   Exhaust
        Ready     ○ 2 of 6 monitors incomplete                     O2 sensor B1S1 lambda            0.955 ratio  last known, 11 h ago
                  ○ incomplete  catalyst                           Temperatures
                  ● complete    components                         Ambient air temperature             18 °C     last known, 11 h ago
                  ○ incomplete  evaporative system                 Catalyst temperature B1S1        610.0 °C     last known, 11 h ago
                  ● complete    fuel system                        Intake air temperature              21 °C     last known, 11 h ago
                  ● complete    misfire                            Driving
                  ● complete    O2 sensor                          Odometer                      182345.6 km     last known, 11 h ago

        Tests     1 failed   1 passed   read 2 d ago
        7E8       catalyst bank 1, test 80   0.31 V (0 to 0.25)
                  failed
        7E8       O2 sensor B1S1, test 85   0.8 V (0.1 to 0.9)
                  passed






























        0 all  1 gauges  2 values  3 codes  4 ready  5 trip  6 events  q quit  ? keys
        """
}
