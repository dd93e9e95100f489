// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The frames of a driving car, at four sizes.
enum DrivingFrames {
    static let all = [Self.small, Self.usual, Self.wide, Self.large]

    private static let small = """
        van-12
        ● broker  ● agent  ● adapter  ● vehicle
        Lamp    ○ off   no codes
        Gauges
        Speed       77 km/h   ███████░░░░░░░░░░░
        Engine    4500 rpm    ████████████░░│░│░
        Coolant    102 °C     ██████████████││░░
        Boost      -21 kPa    █████░░░░░░░░░░░░░
        Fuel       8.6 %      ██░░░░░░░░░░░░░░░░
        Battery  14.02 V      ████████████░░░││░




        1-6 parts  q quit  ? keys
        """

    private static let usual = """
        van-12  WVWZZZ1KZ6W612305  Volkswagen  from broker.example          10:00:00 UTC
        ● broker   ● agent online   ● adapter connected   ● vehicle running

        Speed           77 km/h   ████████████████░░░░░░░░░░░░░░░░░░░░░░░░░░ 0–200
        Engine        4500 rpm    ███████████████████████████░░░░░░░│░░░░│░░ 0–7000
        Coolant        102 °C     █████████████████████████████████│░░░│░░░░ 0–130
        Boost          -21 kPa    ████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ -80–120
        Fuel           8.6 %      ████│░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 0–100
        Battery      14.02 V      ████████████████████████████░░░░░░░│░░│░░░ 10–16

        Lamp      ○ off   no codes
        Trip      under way   25.2 km   31 min   6.4 L/100 km
        Place     12 s ago   52.51628, 13.37770   ± 8 m
        Ready     ○ 2 of 6 monitors incomplete

        Values   last 2 min   1–7 of 13
        Engine load                       34.0 %          ▁▇▃▇▂▂▂▂▁█▆▁▄▇█       0.0–36.0
        Oil pressure                      2.25 bar        ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄           2.25
        Fuel system status              closed loop
        Fuel type                       gasoline
        Short fuel trim 1                   -4 %          ▂█▅▂█▇▄▁▇▄▁▁▆▁▁           -4–4
        Intake manifold pressure            80 kPa        ▁▁▂▂▃▃▄▄▅▆▆▇▇██          35–80
        Mass air flow                    21.50 g/s        ▁▁▂▂▃▃▄▄▅▆▆▇▇██    12.50–21.50
        0 all  1 gauges  2 values  3 codes  4 ready  5 trip  6 events  q quit  ? keys
        """

    private static let wide = """
        van-12  WVWZZZ1KZ6W612305  Volkswagen  from broker.example                                                  10:00:00 UTC
        ● broker   ● agent online   ● adapter connected   ● vehicle running

        Speed       77 km/h   ██████████░░░░░░░░░░░░░░░░   Values   last 2 min
                                    ▁▁▂▂▂▃▃▄▄▄▅▅▅▆▆▇▇▇██   Engine
        Engine    4500 rpm    █████████████████░░░░│░░│░   Engine load                  34.0 %         ▇█▃▁▃██▁▇█       0.0–36.0
                                    ▁▁▁▂▂▃▃▄▄▄▅▅▆▆▆▇▇███   Oil pressure                 2.25 bar       ▄▄▄▄▄▄▄▄▄▄           2.25
        Coolant    102 °C     ████████████████████░│░│░░   Fuel
                                    ▁▁▂▂▂▃▃▄▄▄▅▅▆▆▆▇▇███   Fuel system status         closed loop
        Boost      -21 kPa    ████████░░░░░░░░░░░░░░░░░░   Fuel type                  gasoline
                                    ▁▁▁▂▂▃▃▄▄▄▅▅▆▆▆▇▇███   Short fuel trim 1              -4 %         █▇█▁█▁█▁▁▁           -4–4
        Fuel       8.6 %      ██│░░░░░░░░░░░░░░░░░░░░░░░   Air
                                    ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄   Intake manifold pressure       80 kPa       ▁▁▂▃▄▅▆▇██          35–80
        Battery  14.02 V      █████████████████░░░░│░│░░   Mass air flow               21.50 g/s       ▁▁▂▃▄▅▆▇██    12.50–21.50
                                    ███▇▇▆▆▅▅▅▄▄▃▃▂▂▂▁▁▁   Throttle position            25.0 %         ▄█▃█▂▇▁▆▁▅      15.0–33.0
                                                           Exhaust
        Lamp    ○ off   no codes                           O2 sensor B1S1 lambda       1.000 ratio     ▁▁▂▃▄▅▆▇██    0.955–1.000
                                                           Temperatures
        Trip    under way   25.2 km   31 min               Ambient air temperature        18 °C        ▄▄▄▄▄▄▄▄▄▄             18
                6.4 L/100 km                               Catalyst temperature B1…    700.0 °C        ▁▁▂▃▄▅▆▇██    610.0–700.0
        Place   12 s ago   52.51628, 13.37770   ± 8 m      Intake air temperature         21 °C        ▄▄▄▄▄▄▄▄▄▄             21
                                                           Driving
                                                           Odometer                 182345.6 km        ▄▄▄▄▄▄▄▄▄▄       182345.6

                                                           Ready     ○ 2 of 6 monitors incomplete
                                                                     catalyst, evaporative system
                                                           Tests     1 failed   1 passed   read 2 d ago
                                                           7E8       catalyst bank 1, test 80   0.31 V (0 to 0.25)   failed











        0 all  1 gauges  2 values  3 codes  4 ready  5 trip  6 events  q quit  ? keys
        """

    private static let large = """
        van-12  WVWZZZ1KZ6W612305  Volkswagen  from broker.example                                                                                                                                  10:00:00 UTC
        ● broker   ● agent online   ● adapter connected   ● vehicle running

        Speed           77 km/h   ███████░░░░░░░░░░░ 0–200         Values   last 2 min                                                                Lamp      ○ off   no codes
                                     ▁▁▂▂▃▄▄▅▅▆▆▇▇██ 62–77         Engine
        Engine        4500 rpm    ████████████░░│░│░ 0–7000        Engine load                       34.0 %          ▁▇▃▇▂▂▂▂▁█▆▁▄▇█       0.0–36.0
                                     ▁▁▂▂▃▄▄▅▅▆▆▇███ 1800–4500     Oil pressure                      2.25 bar        ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄           2.25
        Coolant        102 °C     ██████████████││░░ 0–130         Fuel
                                     ▁▁▂▂▃▄▄▅▅▆▆▇███ 72–102        Fuel system status              closed loop
        Boost          -21 kPa    █████░░░░░░░░░░░░░ -80–120       Fuel type                       gasoline
                                     ▁▁▂▂▃▄▄▅▅▆▆▇███ -66–-21       Short fuel trim 1                   -4 %          ▂█▅▂█▇▄▁▇▄▁▁▆▁▁           -4–4
        Fuel           8.6 %      ██░░░░░░░░░░░░░░░░ 0–100         Air
                                     ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄ 8.6           Intake manifold pressure            80 kPa        ▁▁▂▂▃▃▄▄▅▆▆▇▇██          35–80
        Battery      14.02 V      ████████████░░░││░ 10–16         Mass air flow                    21.50 g/s        ▁▁▂▂▃▃▄▄▅▆▆▇▇██    12.50–21.50
                                     ██▇▇▆▅▅▄▄▃▂▂▁▁▁ 14.02–14.20   Throttle position                 25.0 %          ▁▄▇▁▃▇▁▃▆█▂▆█▁▅      15.0–33.0
                                                                   Exhaust
        Limit     hot   not exceeded   coolant_temperature > 110   O2 sensor B1S1 lambda            1.000 ratio      ▁▁▂▂▃▃▄▄▅▆▆▇▇██    0.955–1.000
        Trip      under way   25.2 km   31 min                     Temperatures
                  6.4 L/100 km   1.6 L   mean 48.8 km/h            Ambient air temperature             18 °C         ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄             18
                  at most 121 km/h                                 Catalyst temperature B1S1        700.0 °C         ▁▁▂▂▃▃▄▄▅▆▆▇▇██    610.0–700.0
        Place     12 s ago   52.51628, 13.37770   ± 8 m            Intake air temperature              21 °C         ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄             21
                                                                   Driving
        Ready     ○ 2 of 6 monitors incomplete                     Odometer                      182345.6 km         ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄       182345.6
                  ○ incomplete  catalyst
                  ● complete    components
                  ○ incomplete  evaporative system
                  ● complete    fuel system
                  ● complete    misfire
                  ● complete    O2 sensor

        Tests     1 failed   1 passed   read 2 d ago
        7E8       catalyst bank 1, test 80   0.31 V (0 to 0.25)
                  failed
        7E8       O2 sensor B1S1, test 85   0.8 V (0.1 to 0.9)
                  passed
























        0 all  1 gauges  2 values  3 codes  4 ready  5 trip  6 events  q quit  ? keys
        """
}
