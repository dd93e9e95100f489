// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The MQTT library of the page: the client of node-mqtt, with its stream over the browser's WebSocket.

import Client from "mqtt/lib/client.js";
import stream from "mqtt/lib/connect/ws.js";

export const connect = (options) => new Client((client) => stream(client, options), options);
