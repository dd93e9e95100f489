// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327

extension RecordedDialogue {
    /// Vehicles with 11-bit identifiers.
    static let can11: [RecordedDialogue] = [
        .init(
            "brendan-w/python-OBD#167",
            .can11at500,
            "0100",
            "SEARCHING...\r7E8 06 41 00 BE 1F A8 13 \r\r>",
            reads: ["7E8 01 03 04 05 06 07 0C 0D 0E 0F 10 11 13 15 1C 1F 20"]
        ),
        .init(
            "brendan-w/python-OBD#193",
            .can11at500,
            "0100",
            "SEARCHING...\r7E8 06 41 00 BE 3E A8 13 \r\r>",
            reads: ["7E8 01 03 04 05 06 07 0B 0C 0D 0E 0F 11 13 15 1C 1F 20"]
        ),
        // The frame is printed twice.
        .init(
            "brendan-w/python-OBD#134",
            .can11at500,
            "0100",
            "SEARCHING...\r7E8 06 41 00 FF FF FF FF \r7E8 06 41 00 FF FF FF FF \r\r>",
            reads: [
                "7E8 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D "
                    + "1E 1F 20"
            ]
        ),
        .init(
            "brendan-w/python-OBD#190",
            .can11at500,
            "0111",
            "7E8 03 41 11 2D \r\r>",
            reads: ["7E8 throttle_position 17.647058823529413"]
        ),
        .init(
            "brendan-w/python-OBD#190",
            .can11at500,
            "0104",
            "7E8 03 41 04 00 \r\r>",
            reads: ["7E8 engine_load 0.0"]
        ),
        .init(
            "brendan-w/python-OBD#190",
            .can11at500,
            "0105",
            "7E8 03 41 05 7D \r\r>",
            reads: ["7E8 coolant_temperature 85.0"]
        ),
        .init(
            "brendan-w/python-OBD#190",
            .can11at500,
            "0142",
            "7E8 04 41 42 31 83 \r\r>",
            reads: ["7E8 control_module_voltage 12.675"]
        ),
        .init(
            "brendan-w/python-OBD#198",
            .can11at500,
            "0100",
            "SEARCHING...\r7EC 03 7F 01 7F \r\r>",
            reads: ["7EC refuses with 7F"]
        ),
        .init(
            "brendan-w/python-OBD#288",
            .can11at500,
            "0900",
            "7E8 06 49 00 55 42 00 00 \r\r>",
            reads: ["7E8 55 42 00 00"]
        ),
        .init(
            "brendan-w/python-OBD#288",
            .can11at500,
            "0904",
            "7E8 10 13 49 04 01 32 33 37 \r7E8 21 36 31 36 34 32 35 53 \r7E8 22 00 00 00 00 00 00 AA \r\r>",
            reads: ["7E8 237616425S"]
        ),
        .init(
            "brendan-w/python-OBD#302",
            .can11at500,
            "063D",
            "7E8 10 13 46 3D 88 81 00 00 \r7E8 21 00 00 00 00 3D 88 FE \r7E8 22 00 00 00 00 00 00 00 \r\r>",
            reads: ["7E8 88 0 in 0...0, 88 0 in 0...0"]
        ),
        .init(
            "brendan-w/python-OBD#302",
            .can11at500,
            "063C",
            "7E8 10 0A 46 3C 80 2F 00 00 \r7E8 21 00 00 00 00 00 00 00 \r\r>",
            reads: ["7E8 80 0 in 0...0"]
        ),
        // The log has lost its line ends. Here each frame has a line of its own again.
        .init(
            "muki01/OBD2_K-line_Reader#11",
            .can11at500,
            "0100",
            "7EB06410098180001\r7E8064100983BA017\r7E906410098180011\r\r>",
            reads: [
                "7E8 01 04 05 0B 0C 0D 0F 10 11 13 1C 1E 1F 20",
                "7E9 01 04 05 0C 0D 1C 20",
                "7EB 01 04 05 0C 0D 20",
            ]
        ),
        .init(
            "muki01/OBD2_K-line_Reader#11",
            .can11at500,
            "0101",
            "7EB06410100040000\r7E8064101000EE968\r7E906410100040000\r\r>",
            reads: [
                "7E8 MIL off, 0 codes, 7 monitors, 3 incomplete", "7E9 MIL off, 0 codes, 1 monitors, 0 incomplete",
                "7EB MIL off, 0 codes, 1 monitors, 0 incomplete",
            ]
        ),
        .init(
            "muki01/OBD2_K-line_Reader#11",
            .can11at500,
            "0120",
            "7EB06412080018001\r7E906412080018001\r7E8064120B819A015\r\r>",
            reads: ["7E8 21 23 24 25 2C 2D 30 31 33 3C 3E 40", "7E9 21 30 31 40", "7EB 21 30 31 40"]
        ),
        // The same frames as the log has them: three ECUs on one line, which could be split in more than one place.
        .init(
            "muki01/OBD2_K-line_Reader#11",
            .can11at500,
            "0101",
            "7EB064101000400007E8064101000EE9687E906410100040000\r\r>",
            reads: ["unusable"]
        ),
        .init(
            "Ircama/ELM327-emulator#45",
            .can11at500,
            "0120",
            "7EA0641208001A001\r7E80641209015B015\r\r>",
            reads: ["7E8 21 24 2C 2E 30 31 33 34 3C 3E 40", "7EA 21 30 31 33 40"]
        ),
        // Six PIDs in one reply.
        .init(
            "Ircama/ELM327-emulator#38",
            .can11at500,
            "0101030406070C",
            "7E8101241010007E500\r7E82103010004000680\r7E822077D0C00000000\r\r>",
            reads: [
                "7E8 monitor_status_mil false, monitor_status_dtc_count 0.0, monitor_status_compression "
                    + "false, monitor_status_ignition spark, monitor_status_supported misfire fuel components "
                    + "catalyst evap o2_sensor o2_heater egr_vvt, monitor_status_incomplete none, "
                    + "fuel_system_status_system1 1, fuel_system_status_system2 0, engine_load 0.0, "
                    + "short_term_fuel_trim_bank_1 0.0, long_term_fuel_trim_bank_1 -2.34375, engine_speed 0.0"
            ]
        ),
        .init(
            "Ircama/ELM327-emulator#24",
            .can11at500,
            "2101",
            "7E8 10 1B 61 01 6F 00 44 02 \r7E8 21 C6 28 38 61 4B 17 21 \r7E8 22 31 00 2B 01 30 83 31 \r"
                + "7E8 23 04 00 31 00 5B 39 5F \r\r>",
            reads: ["7E8 61 01 6F 00 44 02 C6 28 38 61 4B 17 21 31 00 2B 01 30 83 31 04 00 31 00 5B 39 5F"]
        ),
        .init(
            "Ircama/ELM327-emulator elm/obd_message.py",
            .can11at500,
            "0100",
            "SEARCHING...\r7EA 06 41 00 98 3A 80 13 \r7E8 06 41 00 BE 3F A8 13 \r\r>",
            reads: [
                "7E8 01 03 04 05 06 07 0B 0C 0D 0E 0F 10 11 13 15 1C 1F 20",
                "7EA 01 04 05 0B 0C 0D 0F 11 1C 1F 20",
            ]
        ),
        .init(
            "Ircama/ELM327-emulator elm/obd_message.py",
            .can11at500,
            "0140",
            "7EA 06 41 40 44 CC 00 21 \r7E8 06 41 40 7A 1C 80 00 \r\r>",
            reads: ["7E8 42 43 44 45 47 4C 4D 4E 51", "7EA 42 46 49 4A 4D 4E 5B 60"]
        ),
        .init(
            "Ircama/ELM327-emulator elm/obd_message.py",
            .can11at500,
            "0902",
            "7E8 10 14 49 02 01 57 50 30 \r7E8 21 5A 5A 5A 39 39 5A 54 \r7E8 22 53 33 39 30 30 30 30 \r\r>",
            reads: ["7E8 WP0ZZZ99ZTS390000"]
        ),
        .init(
            "meatpiHQ/wican-fw#397",
            .can11at500,
            "010D",
            "7E803410D00\r7E903410D00\r\r>",
            reads: ["7E8 vehicle_speed 0.0", "7E9 vehicle_speed 0.0"]
        ),
        .init(
            "meatpiHQ/wican-fw#397",
            .can11at500,
            "010C",
            "7E904410C0B6C\r\r>",
            reads: ["7E9 engine_speed 731.0"]
        ),
        .init(
            "meatpiHQ/wican-fw#397",
            .can11at500,
            "010C",
            "7E804410C0B64\r7E904410C0B68\r\r>",
            reads: ["7E8 engine_speed 729.0", "7E9 engine_speed 730.0"]
        ),
        .init(
            "meatpiHQ/wican-fw#397",
            .can11at500,
            "010B",
            "7E903410B66\r\r>",
            // The scale is known once the ECU has reported its maxima, or that it has none (PIDs 4F and 50).
            reads: ["7E9 no value yet"]
        ),
        .init(
            "meatpiHQ/wican-fw#397",
            .can11at500,
            "0105",
            "7E803410574\r7E903410574\r\r>",
            reads: ["7E8 coolant_temperature 76.0", "7E9 coolant_temperature 76.0"]
        ),
        .init(
            "meatpiHQ/wican-fw#397",
            .can11at500,
            "0104",
            "7E803410436\r7E903410437\r\r>",
            reads: ["7E8 engine_load 21.176470588235293", "7E9 engine_load 21.568627450980394"]
        ),
        .init(
            "meatpiHQ/wican-fw#397",
            .can11at500,
            "0110",
            "7E804411007D2\r\r>",
            reads: ["7E8 no value yet"]
        ),
        .init(
            "meatpiHQ/wican-fw#397",
            .can11at500,
            "011F",
            "7E804411F002A\r7E904411F0029\r\r>",
            reads: ["7E8 run_time 42.0", "7E9 run_time 41.0"]
        ),
        .init(
            "meatpiHQ/wican-fw#397",
            .can11at500,
            "010F",
            "NO DATA\r\r>",
            reads: ["no data"]
        ),
        .init(
            "meatpiHQ/wican-fw#298",
            .can11at500,
            "221201",
            to: .can11(0x7E0, from: 0x7E8),
            "7E8037F2231\r\r>",
            reads: ["7E8 refuses with 31"]
        ),
        .init(
            "meatpiHQ/wican-fw#298",
            .can11at500,
            "10C0",
            to: .can11(0x7E0, from: 0x7E8),
            "7E8 03 7F 10 12 \r\r>",
            reads: ["7E8 refuses with 12"]
        ),
        // The ECU first answers "response pending".
        .init(
            "meatpiHQ/wican-fw#783",
            .can11at500,
            "22B002",
            to: .can11(0x7C6, from: 0x7CE),
            "7CE 03 7F 22 78 \r7CE 10 18 62 B0 02 D6 00 00 \r7CE 21 00 FF B2 00 00 00 00 \r"
                + "7CE 22 17 50 00 00 B5 00 00 \r7CE 23 00 00 00 00 AA AA AA \r\r>",
            reads: ["7CE 62 B0 02 D6 00 00 00 FF B2 00 00 00 00 17 50 00 00 B5 00 00 00 00 00 00"]
        ),
        .init(
            "scorpionfeng/adten ObdManger.kt",
            .can11at500,
            "03",
            "7E8 06 43 02 39 39 33 34 00 \r\r>",
            reads: ["7E8 P3939 P3334"]
        ),
        .init(
            "mickeyl/LTSupportAutomotive LTOBD2ProtocolISO15765_4.m",
            .can11at500,
            "07",
            "7E8 06 47 02 01 10 01 48 \r\r>",
            reads: ["7E8 P0110 P0148"]
        ),
        .init(
            "mickeyl/LTSupportAutomotive LTOBD2ProtocolISO15765_4.m",
            .can11at500,
            "0601",
            "7E8 10 37 46 01 01 0A 0E 66 \r7E8 21 0E 66 0E 66 01 02 0A \r7E8 22 0E 66 0E 66 0E 66 01 \r"
                + "7E8 23 07 0A 00 00 00 00 0C \r7E8 24 D8 01 08 0A 1D 70 13 \r7E8 25 18 22 90 01 09 10 00 \r"
                + "7E8 26 78 00 78 05 F0 01 0A \r7E8 27 10 00 00 00 00 00 00 \r\r>",
            reads: [
                "7E8 01 3686 in 3686...3686, 02 3686 in 3686...3686, 07 0 in 0...3288, 08 7536 in "
                    + "4888...8848, 09 120 in 120...1520, 0A 0 in 0...0"
            ]
        ),
        // The last frame is missing.
        .init(
            "mickeyl/LTSupportAutomotive LTOBD2ProtocolISO15765_4.m",
            .can11at500,
            "0902",
            "7E8 10 14 49 02 01 57 44 58 \r7E8 21 2D 53 49 4D 30 30 31 \r\r>",
            reads: ["unusable"]
        ),
    ]
}
