# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Reads a vehicle with python-OBD and prints what it says as JSON: read_with_python_obd.py PORT"""
import json
import sys

import obd

# Its name of a parameter, ours, and the unit in which ours is.
PARAMETERS = {
    "RPM": ("engine_speed", "rpm"),
    "SPEED": ("vehicle_speed", "kph"),
    "COOLANT_TEMP": ("coolant_temperature", "degC"),
    "INTAKE_TEMP": ("intake_air_temperature", "degC"),
    "AMBIANT_AIR_TEMP": ("ambient_air_temperature", "degC"),
    "OIL_TEMP": ("oil_temperature", "degC"),
    "FUEL_LEVEL": ("fuel_level", "percent"),
    "BAROMETRIC_PRESSURE": ("barometric_pressure", "kilopascal"),
    "INTAKE_PRESSURE": ("intake_manifold_pressure", "kilopascal"),
    "CONTROL_MODULE_VOLTAGE": ("control_module_voltage", "volt"),
    "ENGINE_LOAD": ("engine_load", "percent"),
    "THROTTLE_POS": ("throttle_position", "percent"),
    "MAF": ("mass_air_flow", "gps"),
    "DISTANCE_W_MIL": ("distance_with_mil", "kilometer"),
}

connection = obd.OBD(sys.argv[1], fast=False, timeout=10)
values = {}
for theirs, (ours, unit) in PARAMETERS.items():
    reply = connection.query(obd.commands[theirs])
    if not reply.is_null():
        values[ours] = reply.value.to(unit).magnitude
# On the older buses it reads the list of what service 09 has one byte too early, and so finds no VIN in it.
vin = connection.query(obd.commands.VIN, force=True).value
result = {
    "protocol": connection.protocol_name(),
    "vin": (vin.decode() if isinstance(vin, (bytes, bytearray)) else vin or "").strip("\0"),
    "mil": connection.query(obd.commands.STATUS).value.MIL,
    "stored": [code for code, _ in connection.query(obd.commands.GET_DTC).value],
    "pending": [code for code, _ in connection.query(obd.commands.GET_CURRENT_DTC).value],
    "values": values,
}
connection.close()
print(json.dumps(result))
