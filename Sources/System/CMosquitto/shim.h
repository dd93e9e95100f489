// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

#include <mosquitto.h>
#include <mqtt_protocol.h>
