# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The twenty parameters of one and two bytes that everybody reads, by their PIDs of service 01."""

NAMES = {
    0x04: "engine_load", 0x05: "coolant_temperature", 0x06: "short_term_fuel_trim_bank_1",
    0x07: "long_term_fuel_trim_bank_1", 0x0B: "intake_manifold_pressure", 0x0C: "engine_speed", 0x0D: "vehicle_speed",
    0x0E: "timing_advance", 0x0F: "intake_air_temperature", 0x10: "mass_air_flow", 0x11: "throttle_position",
    0x1F: "run_time", 0x21: "distance_with_mil", 0x2F: "fuel_level", 0x33: "barometric_pressure",
    0x42: "control_module_voltage", 0x43: "absolute_load", 0x46: "ambient_air_temperature",
    0x49: "accelerator_pedal_position_d", 0x5C: "oil_temperature",
}
