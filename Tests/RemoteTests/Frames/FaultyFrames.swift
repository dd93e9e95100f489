// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The frames of a driving car with codes, an exceeded limit and a finding, at four sizes.
enum FaultyFrames {
    static let all = [Self.small, Self.usual, Self.wide, Self.large]

    private static let small = """
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

    private static let usual = """
        van-12  WVWZZZ1KZ6W612305  Volkswagen  from broker.example          10:00:00 UTC
        ● broker   ● agent online   ● adapter connected   ● vehicle running

        Speed           77 km/h   ████████████████░░░░░░░░░░░░░░░░░░░░░░░░░░ 0–200
        Engine        4500 rpm    ███████████████████████████░░░░░░░│░░░░│░░ 0–7000
        Coolant        102 °C     █████████████████████████████████│░░░│░░░░ 0–130
        Boost          -21 kPa    ████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ -80–120
        Fuel           8.6 %      ████│░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 0–100
        Battery      14.02 V      ████████████████████████████░░░░░░░│░░│░░░ 10–16

        Lamp      ● on   2 codes
        P0301     Misfire in cylinder 1   7E8 stored, pending   freeze frame
        P0420     Catalyst efficiency too low, bank 1   7E8 pending   7E9 stored
        Limit     hot   exceeded 2 min ago   coolant_temperature > 100
        and 2 more: key 5
        Finding   attention   2 h ago   by anna   P0301
        and 2 more: key 3
        Ready     ○ 2 of 6 monitors incomplete

        Values   last 2 min   1–3 of 13
        Engine load                       34.0 %          ▁▇▃▇▂▂▂▂▁█▆▁▄▇█       0.0–36.0
        Oil pressure                      2.25 bar        ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄           2.25
        Fuel system status              closed loop
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
        Lamp    ● on   2 codes                             O2 sensor B1S1 lambda       1.000 ratio     ▁▁▂▃▄▅▆▇██    0.955–1.000
        P0301   Misfire in cylinder 1                      Temperatures
                7E8 stored, pending   freeze frame         Ambient air temperature        18 °C        ▄▄▄▄▄▄▄▄▄▄             18
        P0420   Catalyst efficiency too low, bank 1        Catalyst temperature B1…    700.0 °C        ▁▁▂▃▄▅▆▇██    610.0–700.0
                7E8 pending   7E9 stored                   Intake air temperature         21 °C        ▄▄▄▄▄▄▄▄▄▄             21
                                                           Driving
        Limit   hot   exceeded 2 min ago                   Odometer                 182345.6 km        ▄▄▄▄▄▄▄▄▄▄       182345.6
                coolant_temperature > 100
        Trip    under way   25.2 km   31 min               Ready     ○ 2 of 6 monitors incomplete
                6.4 L/100 km                                         catalyst, evaporative system
        Place   12 s ago   52.51628, 13.37770   ± 8 m      Tests     1 failed   1 passed   read 2 d ago
                                                           7E8       catalyst bank 1, test 80   0.31 V (0 to 0.25)   failed
        Finding attention   2 h ago   by anna   P0301
                Misfire on cylinder 1 only while warm.     Events
                The coil is cracked: replace it, then      09:59:10  limit exceeded   hot, coolant_temperature > 100
                read the codes again.                      09:58:50  code appeared   P0301 (7E8), Misfire in cylinder 1, stored







        0 all  1 gauges  2 values  3 codes  4 ready  5 trip  6 events  q quit  ? keys
        """

    private static let large = """
        van-12  WVWZZZ1KZ6W612305  Volkswagen  from broker.example                                                                                                                                  10:00:00 UTC
        ● broker   ● agent online   ● adapter connected   ● vehicle running

        Speed           77 km/h   ███████░░░░░░░░░░░ 0–200         Values   last 2 min                                                                Lamp      ● on   2 codes
                                     ▁▁▂▂▃▄▄▅▅▆▆▇▇██ 62–77         Engine
        Engine        4500 rpm    ████████████░░│░│░ 0–7000        Engine load                       34.0 %          ▁▇▃▇▂▂▂▂▁█▆▁▄▇█       0.0–36.0   P0301     Misfire in cylinder 1   7E8 stored, pending
                                     ▁▁▂▂▃▄▄▅▅▆▆▇███ 1800–4500     Oil pressure                      2.25 bar        ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄           2.25             first seen 20 min ago
        Coolant        102 °C     ██████████████││░░ 0–130         Fuel                                                                                         Freeze frame of 7E8
                                     ▁▁▂▂▃▄▄▅▅▆▆▇███ 72–102        Fuel system status              closed loop                                                  Coolant temperature                 91 °C
        Boost          -21 kPa    █████░░░░░░░░░░░░░ -80–120       Fuel type                       gasoline                                                     Engine speed                      3250 rpm
                                     ▁▁▂▂▃▄▄▅▅▆▆▇███ -66–-21       Short fuel trim 1                   -4 %          ▂█▅▂█▇▄▁▇▄▁▁▆▁▁           -4–4             Fuel system status              closed loop
        Fuel           8.6 %      ██░░░░░░░░░░░░░░░░ 0–100         Air                                                                                          Vehicle speed                       88 km/h
                                     ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄ 8.6           Intake manifold pressure            80 kPa        ▁▁▂▂▃▃▄▄▅▆▆▇▇██          35–80             not read: Fuel level
        Battery      14.02 V      ████████████░░░││░ 10–16         Mass air flow                    21.50 g/s        ▁▁▂▂▃▃▄▄▅▆▆▇▇██    12.50–21.50
                                     ██▇▇▆▅▅▄▄▃▂▂▁▁▁ 14.02–14.20   Throttle position                 25.0 %          ▁▄▇▁▃▇▁▃▆█▂▆█▁▅      15.0–33.0   P0420     Catalyst efficiency too low, bank 1
                                                                   Exhaust                                                                                      7E8 pending   7E9 stored
        Limit     hot   exceeded 2 min ago                         O2 sensor B1S1 lambda            1.000 ratio      ▁▁▂▂▃▃▄▄▅▆▆▇▇██    0.955–1.000             first seen 10 min ago
                  coolant_temperature > 100                        Temperatures
        Limit     weak   not known   supply_voltage < 11.9         Ambient air temperature             18 °C         ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄             18   Not read of every ECU: permanent
        Trip      under way   25.2 km   31 min                     Catalyst temperature B1S1        700.0 °C         ▁▁▂▂▃▃▄▄▅▆▆▇▇██    610.0–700.0
                  6.4 L/100 km   1.6 L   mean 48.8 km/h            Intake air temperature              21 °C         ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄             21   Finding   attention   2 h ago   by anna   P0301
                  at most 121 km/h                                 Driving                                                                                      Misfire on cylinder 1 only while warm.
        Place     12 s ago   52.51628, 13.37770   ± 8 m            Odometer                      182345.6 km         ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄       182345.6             The coil is cracked: replace it, then read the
                                                                                                                                                                codes again.
        Ready     ○ 2 of 6 monitors incomplete
                  ○ incomplete  catalyst                                                                                                              Events
                  ● complete    components                                                                                                            09:59:10  limit exceeded   hot, coolant_temperature > 100
                  ○ incomplete  evaporative system                                                                                                    09:58:50  code appeared   P0301 (7E8), Misfire in cylinde…
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
