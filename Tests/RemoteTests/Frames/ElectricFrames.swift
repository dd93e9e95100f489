// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The frames of an electric car that charges, at four sizes.
enum ElectricFrames {
    static let all = [Self.small, Self.usual, Self.wide, Self.large]

    private static let small = """
        van-12
        ● broker  ● agent  ● adapter  ● vehicle
        Lamp    ○ off   no codes
        Gauges
        Traction battery   ● charging
          ● plugged in
        Charge    65.5 %      ████████████░░░░░░
        Range      214 km        ▁▁▂▂▃▄▄▅▅▆▆▇███
        Charger   6.80 kW        ██▇▇▆▅▅▄▄▃▂▂▁▁▁
        Voltage    397 V         ▁▁▂▂▃▄▄▅▅▆▆▇███
        Temp.       24 °C        ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄

        Speed        0 km/h   ░░░░░░░░░░░░░░░░░░
        Battery  14.10 V      ████████████░░░││░
        1-6 parts  q quit  ? keys
        """

    private static let usual = """
        van-12  ZZZSMVLATR4700893  from broker.example                      10:00:00 UTC
        ● broker   ● agent online   ● adapter connected   ● vehicle ignition charging

        Traction battery   ● charging   ● plugged in
        Charge        65.5 %      ████████████████████████████░░░░░░░░░░░░░░ 0–100
        Range          214 km              ▁▁▁▁▂▂▂▂▃▃▃▄▄▄▄▅▅▅▅▆▆▆▆▇▇▇████        211–214
        Charger       6.80 kW              ████▇▇▇▇▆▆▆▅▅▅▅▄▄▄▄▃▃▃▂▂▂▂▁▁▁▁      6.80–6.90
        Voltage        397 V               ▁▁▁▁▂▂▂▂▃▃▃▄▄▄▄▅▅▅▅▆▆▆▆▇▇▇████        392–397
        Temp.           24 °C              ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄             24

        Speed            0 km/h   ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 0–200
        Battery      14.10 V      █████████████████████████████░░░░░░│░░│░░░ 10–16

        Lamp      ○ off   no codes
        Trip      under way   25.2 km   31 min   6.4 L/100 km
        Place     12 s ago   52.51628, 13.37770   ± 8 m
        Ready     ○ 2 of 6 monitors incomplete
                  catalyst, evaporative system
        and 2 more: key 4

        Values   last 2 min
        Ambient air temperature             18 °C         ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄             18
        State                           Charging  late, 1 min ago
        0 all  1 gauges  2 values  3 codes  4 ready  5 trip  6 events  q quit  ? keys
        """

    private static let wide = """
        van-12  ZZZSMVLATR4700893  from broker.example                                                              10:00:00 UTC
        ● broker   ● agent online   ● adapter connected   ● vehicle ignition charging

        Traction battery   ● charging   ● plugged in       Values   last 2 min
        Charge    65.5 %      █████████████████░░░░░░░░░   Temperatures
                                    ▁▁▁▂▂▃▃▄▄▄▅▅▆▆▆▇▇███   Ambient air temperature        18 °C        ▄▄▄▄▄▄▄▄▄▄             18
        Range      214 km      ▁▁▂▃▄▅▆▇██        211–214   Other
        Charger   6.80 kW      ██▇▆▅▄▃▂▁▁      6.80–6.90   State                      Charging  late, 1 min ago
        Voltage    397 V       ▁▁▂▃▄▅▆▇██        392–397
        Temp.       24 °C      ▄▄▄▄▄▄▄▄▄▄             24   Ready     ○ 2 of 6 monitors incomplete
                                                                     catalyst, evaporative system
        Speed        0 km/h   ░░░░░░░░░░░░░░░░░░░░░░░░░░   Tests     1 failed   1 passed   read 2 d ago
                                    ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄   7E8       catalyst bank 1, test 80   0.31 V (0 to 0.25)   failed
        Battery  14.10 V      ██████████████████░░░│░│░░
                                    ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄

        Lamp    ○ off   no codes

        Trip    under way   25.2 km   31 min
                6.4 L/100 km
        Place   12 s ago   52.51628, 13.37770   ± 8 m


















        0 all  1 gauges  2 values  3 codes  4 ready  5 trip  6 events  q quit  ? keys
        """

    private static let large = """
        van-12  ZZZSMVLATR4700893  from broker.example                                                                                                                                              10:00:00 UTC
        ● broker   ● agent online   ● adapter connected   ● vehicle ignition charging

        Traction battery   ● charging   ● plugged in               Values   last 2 min                                                                Lamp      ○ off   no codes
        Charge        65.5 %      ████████████░░░░░░ 0–100         Temperatures
                                     ▁▁▂▂▃▄▄▅▅▆▆▇███ 64.0–65.5     Ambient air temperature             18 °C         ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄             18
        Range          214 km        ▁▁▂▃▃▄▅▆▆▇██        211–214   Other
        Charger       6.80 kW        ██▇▆▆▅▄▃▃▂▁▁      6.80–6.90   State                           Charging  late, 1 min ago
        Voltage        397 V         ▁▁▂▃▃▄▅▆▆▇██        392–397
        Temp.           24 °C        ▄▄▄▄▄▄▄▄▄▄▄▄             24

        Speed            0 km/h   ░░░░░░░░░░░░░░░░░░ 0–200
                                     ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄ 0
        Battery      14.10 V      ████████████░░░││░ 10–16
                                     ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄ 14.10

        Limit     hot   not exceeded   coolant_temperature > 110
        Trip      under way   25.2 km   31 min
                  6.4 L/100 km   1.6 L   mean 48.8 km/h
                  at most 121 km/h
        Place     12 s ago   52.51628, 13.37770   ± 8 m

        Ready     ○ 2 of 6 monitors incomplete
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
